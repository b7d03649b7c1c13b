import { type Contract, columnOf } from '../../rules/index.ts'
import { column, type Output, parameter, read, type Upsert } from '../ast/index.ts'
import { typedColumns } from './columns.ts'
import { mergeExpression } from './merge.ts'

export interface UpsertOptions {
  /** Answer with the row as it stands afterwards. */
  readonly returning?: boolean
  /** Bind one array for each column, and merge any number of rows with different keys. */
  readonly arrays?: boolean
}

/** The upsert: every column always listed and bound, in the contract's order. */
export const lowerUpsert = (contract: Contract, options: UpsertOptions = {}): Upsert => {
  const columns = typedColumns(contract)
  return {
    kind: 'upsert',
    table: contract.table,
    columns: columns.map(({ name }) => name),
    values: columns.map(({ name, type }) => parameter(name, type)),
    arrays: options.arrays === true,
    conflict: contract.key,
    set: columns.flatMap((typed): readonly Output[] => {
      const value = mergeExpression(columnOf(contract, typed.name).rule, typed)
      return value === undefined ? [] : [{ name: typed.name, value }]
    }),
    returning:
      options.returning === true
        ? columns.map(({ name, type }) => ({ name, value: read(column('unqualified', name), type) }))
        : [],
  }
}
