import { type Contract, columnOf } from '../../rules/index.ts'
import { compare, isNull, moment, parameter, read, type Select, stored } from '../ast/index.ts'
import { ordered, sqlType, typedColumns } from './columns.ts'

export interface SelectOptions {
  /** Columns that must equal a parameter. */
  readonly where?: readonly string[]
  /** Columns that must be NULL: equality with a NULL parameter is never true. */
  readonly whereNull?: readonly string[]
  /** Overrides the contract's read order. */
  readonly orderBy?: readonly string[]
}

/** All columns of the rows that match, in read order. */
export const lowerSelect = (contract: Contract, options: SelectOptions = {}): Select => {
  const typeOf = (name: string) => sqlType(columnOf(contract, name))
  // One moment has many spellings in SQLite; text stays as it is, so that an index on it is used.
  const comparable = (name: string) =>
    columnOf(contract, name).type === 'instant' ? moment(stored(name), typeOf(name)) : stored(name)
  return {
    kind: 'select',
    table: contract.table,
    outputs: typedColumns(contract).map(({ name, type }) => ({ name, value: read(stored(name), type) })),
    where: [
      ...(options.where ?? []).map((name) => compare(comparable(name), '=', parameter(name, typeOf(name)))),
      ...(options.whereNull ?? []).map((name) => isNull(stored(name))),
    ],
    orderBy: (options.orderBy ?? contract.readOrder).map((name) => ({
      value: ordered(stored(name), typeOf(name)),
      nullable: columnOf(contract, name).nullable,
    })),
  }
}
