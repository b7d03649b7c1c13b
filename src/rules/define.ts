import { MergelawError } from '../errors/index.ts'
import { deepFreeze } from '../util/deep-freeze.ts'
import { checkContract, type Problem } from './check/index.ts'
import { type ColumnSpec, type ColumnSpecs, resolveColumn } from './columns.ts'
import type { Contract, ForeignKey, Index, Names } from './contract.ts'
import { shapeProblem } from './decode-spec.ts'
import type { FrozenBy, Key } from './kinds/index.ts'

type KeyNames<C extends ColumnSpecs> = {
  [Name in Names<C>]: C[Name]['rule'] extends Key ? (C[Name]['nullable'] extends true ? never : Name) : never
}[Names<C>]

/** Makes a guard that does not exist, or that is the column itself, a compile error. */
type Guarded<C extends ColumnSpecs> = {
  readonly [Name in keyof C]: C[Name]['rule'] extends FrozenBy
    ? { readonly rule: FrozenBy<Exclude<Names<C>, Name>> }
    : C[Name]['rule'] extends Key
      ? { readonly nullable?: false }
      : ColumnSpec
}

/** What a user hands to `defineContract`. */
export interface ContractSpec<C extends ColumnSpecs> {
  readonly table: string
  readonly key: readonly ([KeyNames<NoInfer<C>>] extends [never] ? string : KeyNames<NoInfer<C>>)[]
  readonly columns: C & Guarded<NoInfer<C>>
  readonly primaryKey?: readonly Names<NoInfer<C>>[]
  readonly readOrder?: readonly Names<NoInfer<C>>[]
  readonly indexes?: readonly Index[]
  readonly foreignKeys?: readonly ForeignKey[]
}

/**
 * Declares how rows of one table merge. Everything else (reducer, laws, SQL, writer) is derived from what this returns.
 *
 * Throws MergelawError `contract`, naming table, column and reason, for a contract that cannot work.
 */
export const defineContract = <const C extends ColumnSpecs>(spec: ContractSpec<C>): Contract<C> => {
  const misshapen = shapeProblem(spec)
  if (misshapen !== undefined) throw refusal(spec, misshapen)
  // Object.entries loses the names' literal types; the mapped type below is what it was given.
  const columns = Object.fromEntries(
    Object.entries(spec.columns as ColumnSpecs).map(([name, column]) => [name, resolveColumn(column)]),
  ) as Contract<C>['columns']
  const contract: Contract<C> = {
    table: spec.table,
    key: spec.key,
    columns,
    primaryKey: spec.primaryKey ?? spec.key,
    readOrder: spec.readOrder ?? spec.key,
    indexes: spec.indexes ?? [],
    foreignKeys: spec.foreignKeys ?? [],
  }
  const [problem] = checkContract(contract)
  if (problem !== undefined) throw refusal(spec, problem)
  // A copy through JSON: the caller's own objects stay as they are, and what is not data cannot get in.
  return deepFreeze(JSON.parse(JSON.stringify(contract)) as Contract<C>)
}

/** The spec may be anything here: callers without types reach this. */
const refusal = (spec: unknown, { column, reason }: Problem): MergelawError => {
  const named: unknown = typeof spec === 'object' && spec !== null && 'table' in spec ? spec.table : undefined
  const table = typeof named === 'string' ? named : undefined
  const where = [table ?? 'a contract without a table name', ...(column === undefined ? [] : [column])].join('.')
  const details = { ...(table === undefined ? {} : { table }), ...(column === undefined ? {} : { column }), reason }
  return new MergelawError('contract', `${where}: ${reason}`, { details })
}
