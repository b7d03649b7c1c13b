import type { Either } from 'fp-ts/lib/Either.js'
import { map } from 'fp-ts/lib/Either.js'
import type { Contract, Incoming, Stored } from './contract.ts'
import type { FrozenBy, Plain, PlainKind, Rule } from './kinds/index.ts'
import { columnOf, compileNormalise, type Normalise, type RowError } from './normalise.ts'
import type { Tuple, Value } from './values.ts'

/**
 * How each rule merges: `stored` is what the table holds, `incoming` what arrived, null is absent.
 *
 * This table is the readable truth. The SQL is lowered on its own from the same rules, so that comparing the two means something.
 */
const MERGE: Record<PlainKind, (stored: Value, incoming: Value) => Value> = {
  writeOnce: (stored) => stored,
  firstNonNull: (stored, incoming) => stored ?? incoming,
  lastNonNull: (stored, incoming) => incoming ?? stored,
  lastValue: (_stored, incoming) => incoming,
  touch: (stored, incoming) => (stored === null || (incoming !== null && incoming > stored) ? incoming : stored),
  boolOr: (stored, incoming) => (stored === true || incoming === true ? true : (stored ?? incoming)),
}

type MergeColumn = (stored: Tuple, incoming: Tuple) => Value

/** One column's merge, over the whole rows because a guard is another column. */
const compileColumn = (rule: Rule, at: number, indexOf: (name: string) => number): MergeColumn => {
  switch (rule.kind) {
    case 'key':
      return (stored) => valueAt(stored, at)
    case 'frozenBy':
      return compileFrozen(rule, at, indexOf(rule.guard))
    default:
      return compilePlain(rule, at)
  }
}

const compilePlain = (rule: Plain, at: number): MergeColumn => {
  const merge = MERGE[rule.kind]
  return (stored, incoming) => merge(valueAt(stored, at), valueAt(incoming, at))
}

/** While the stored guard is set, the stored value stands; the incoming guard plays no part. */
const compileFrozen = (rule: FrozenBy, at: number, guard: number): MergeColumn => {
  const inner = compilePlain(rule.rule, at)
  return (stored, incoming) => (valueAt(stored, guard) !== null ? valueAt(stored, at) : inner(stored, incoming))
}

const valueAt = (tuple: Tuple, at: number): Value => tuple[at] ?? null

/** The reducer over tuples: what the engine and the fold use. */
export interface TupleReducer {
  readonly names: readonly string[]
  readonly normalise: Normalise
  readonly merge: (stored: Tuple, incoming: Tuple) => Tuple
  /** One tuple per key, in order of first appearance; each is the merge of all rows of that key, in order. */
  readonly fold: (rows: Iterable<Tuple>) => Tuple[]
}

/** Compiles a contract once, over column positions. */
export const compileReducer = (contract: Contract): TupleReducer => {
  const names = Object.keys(contract.columns)
  const columns = names.map((name, at) => compileColumn(columnOf(contract, name).rule, at, (other) => names.indexOf(other)))
  const merge = (stored: Tuple, incoming: Tuple): Tuple => columns.map((column) => column(stored, incoming))
  const keyAt = contract.key.map((name) => names.indexOf(name))
  return { names, normalise: compileNormalise(contract), merge, fold: compileFold(keyAt, merge) }
}

const compileFold =
  (keyAt: readonly number[], merge: TupleReducer['merge']): TupleReducer['fold'] =>
  (rows) => {
    const folded = new Map<string, Tuple>()
    for (const row of rows) {
      const key = keyText(keyAt, row)
      const stored = folded.get(key)
      folded.set(key, stored === undefined ? row : merge(stored, row))
    }
    return [...folded.values()]
  }

/** Lengths before the parts, so that ('a','bc') and ('ab','c') stay two keys whatever characters they hold. */
const keyText = (keyAt: readonly number[], row: Tuple): string => {
  let text = ''
  for (const at of keyAt) {
    const part = String(row[at])
    text += `${part.length}:${part}`
  }
  return text
}

/** The pure merge of one table. */
export interface Reducer<Of extends Contract> {
  /** Types, absence, sentinels, anomalies. Every row goes through it once, before `insert`, `merge` or `fold`. */
  readonly normalise: (incoming: Incoming<Of>) => Either<readonly RowError[], { row: Stored<Of>; anomalies: readonly string[] }>
  /** The row that an insert into an empty place leaves. */
  readonly insert: (incoming: Stored<Of>) => Stored<Of>
  /** The row that `incoming` leaves where `stored` was. SQL: the whole SET list. */
  readonly merge: (stored: Stored<Of>, incoming: Stored<Of>) => Stored<Of>
  /** The rows that a history leaves in an empty table, one per key, in order of first appearance. */
  readonly fold: (rows: Iterable<Stored<Of>>) => Stored<Of>[]
}

/**
 * The contract as plain functions. Use it for tests, previews and folding; never read, reduce and write back (hazard 46): that
 * loses updates, and the statement exists.
 */
export const reducerOf = <Of extends Contract>(contract: Of): Reducer<Of> => {
  const { names, normalise, merge, fold } = compileReducer(contract)
  const tuple = (row: Stored<Of>): Tuple => toTuple(names, row)
  // The names and types of a tuple's values are the contract's own: that is what compileReducer guarantees.
  const row = (values: Tuple): Stored<Of> => toRow(names, values) as Stored<Of>
  return {
    normalise: (incoming) =>
      map(({ tuple: values, anomalies }: { tuple: Tuple; anomalies: readonly string[] }) => ({ row: row(values), anomalies }))(
        normalise(incoming),
      ),
    insert: (incoming) => row(tuple(incoming)),
    merge: (stored, incoming) => row(merge(tuple(stored), tuple(incoming))),
    fold: (rows) => fold(Array.from(rows, tuple)).map(row),
  }
}

/** A row's values in column order. */
export const toTuple = (names: readonly string[], row: Readonly<Record<string, unknown>>): Tuple =>
  // Rows come from the normaliser or a decoder, which typed every value.
  names.map((name) => (Object.hasOwn(row, name) ? (row[name] as Value | undefined) : undefined) ?? null)

/** The inverse of `toTuple`. `fromEntries` defines properties, so that a column named `__proto__` is a column. */
export const toRow = (names: readonly string[], tuple: Tuple): Readonly<Record<string, Value>> =>
  Object.fromEntries(names.map((name, at) => [name, valueAt(tuple, at)]))
