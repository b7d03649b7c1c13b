import type { Either } from 'fp-ts/lib/Either.js'
import { map } from 'fp-ts/lib/Either.js'
import { MergelawError } from '../errors/index.ts'
import { toInstant } from '../util/instant.ts'
import { show } from '../util/show.ts'
import type { Contract, Incoming, Stored } from './contract.ts'
import { type Grouping, groupByKey } from './group.ts'
import type { PlainKind, Rule } from './kinds/index.ts'
import { columnOf, compileNormalise, type Normalise, type RowError } from './normalise.ts'
import type { Tuple, Value } from './values.ts'

/**
 * How each rule merges `incoming` into `row`, which holds what the table holds; null is absent.
 *
 * This table is the readable truth. Each entry loops over the columns that have its rule, since a call per column costs three times
 * as much. The SQL is lowered on its own from the same rules, so that comparing the two means something.
 */
const MERGE: Record<PlainKind, (row: Value[], incoming: Tuple, columns: readonly number[]) => void> = {
  writeOnce: () => {},
  firstNonNull: (row, incoming, columns) => {
    for (const at of columns) if (row[at] === null) row[at] = valueAt(incoming, at)
  },
  lastNonNull: (row, incoming, columns) => {
    for (const at of columns) if (incoming[at] !== null) row[at] = valueAt(incoming, at)
  },
  lastValue: (row, incoming, columns) => {
    for (const at of columns) row[at] = valueAt(incoming, at)
  },
  touch: (row, incoming, columns) => {
    for (const at of columns) row[at] = newest(valueAt(row, at), valueAt(incoming, at))
  },
  boolOr: (row, incoming, columns) => {
    for (const at of columns) row[at] = either(valueAt(row, at), valueAt(incoming, at))
  },
}

const newest = (stored: Value, incoming: Value): Value =>
  stored === null || (incoming !== null && incoming > stored) ? incoming : stored
const either = (stored: Value, incoming: Value): Value => (stored === true || incoming === true ? true : (stored ?? incoming))
const valueAt = (tuple: Tuple, at: number): Value => tuple[at] ?? null

/** Merges `incoming` into `row`, in place. */
type MergeInto = (row: Value[], incoming: Tuple) => void

/**
 * Compiles a contract's merge once, over column positions.
 *
 * Frozen columns go first, and before their guards: freezing reads the *stored* guard, never one that this frame has just set.
 */
const compileMerge = (contract: Contract, names: readonly string[]): MergeInto => {
  const ruleOf = (name: string): Rule => columnOf(contract, name).rule
  const frozen = guardedFirst(contract, names).map((name) => compileFrozen(names, name, ruleOf(name)))
  const groups = (Object.keys(MERGE) as PlainKind[]) // keys of a record are its kinds
    .map((kind) => ({ merge: MERGE[kind], columns: names.flatMap((name, at) => (ruleOf(name).kind === kind ? [at] : [])) }))
    .filter(({ columns }) => columns.length > 0)
  return (row, incoming) => {
    for (const freeze of frozen) freeze(row, incoming)
    for (const { merge, columns } of groups) merge(row, incoming, columns)
  }
}

/** While the stored guard is set, the stored value stands; the incoming guard plays no part. */
const compileFrozen = (names: readonly string[], name: string, rule: Rule): MergeInto => {
  if (rule.kind !== 'frozenBy') return () => {}
  const merge = MERGE[rule.rule.kind]
  const guard = names.indexOf(rule.guard)
  const columns = [names.indexOf(name)]
  return (row, incoming) => {
    if (row[guard] === null) merge(row, incoming, columns)
  }
}

/** The frozen columns, each before its guard: how many guards stand behind a column decides (there are no cycles). */
const guardedFirst = (contract: Contract, names: readonly string[]): readonly string[] => {
  const depth = (name: string): number => {
    const { rule } = columnOf(contract, name)
    return rule.kind === 'frozenBy' ? 1 + depth(rule.guard) : 0
  }
  return names.filter((name) => depth(name) > 0).toSorted((a, b) => depth(b) - depth(a))
}

const copy = (row: Tuple): Value[] => [...row]

/** A tuple is an array; readonly only says that it is somebody else's, which this one is not. */
const asOwn = (row: Tuple): Value[] => row as Value[]

/** The reducer over tuples: what the engine and the fold use. */
export interface TupleReducer {
  readonly names: readonly string[]
  readonly normalise: Normalise
  readonly merge: (stored: Tuple, incoming: Tuple) => Tuple
  /** One tuple per key, in order of first appearance; each is the merge of all rows of that key, in order. */
  readonly fold: (rows: Iterable<Tuple>) => Tuple[]
  /** The same for rows that come one by one. With `takesOver` no one else may use a row that was added: it changes in place. */
  readonly grouping: (takesOver?: boolean) => Grouping
}

/** Compiles a contract once, over column positions. */
export const compileReducer = (contract: Contract): TupleReducer => {
  const names = Object.keys(contract.columns)
  const mergeInto = compileMerge(contract, names)
  const keyAt = contract.key.map((name) => names.indexOf(name))
  const grouping = (takesOver = false): Grouping => groupByKey(keyAt, mergeInto, takesOver ? asOwn : copy)
  return {
    names,
    normalise: compileNormalise(contract),
    merge: (stored, incoming) => {
      const row = [...stored]
      mergeInto(row, incoming)
      return row
    },
    fold: (rows) => {
      const groups = grouping()
      for (const row of rows) groups.add(row)
      return [...groups.rows()]
    },
    grouping,
  }
}

/** The pure merge of one table. Throws MergelawError `row` for rows of two keys, and for an instant that is none. */
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
  const canonical = compileCanonical(contract, names)
  const tuple = (row: Stored<Of>): Tuple => canonical(toTuple(names, row))
  const sameKey = compileSameKey(contract, names)
  // The names and types of a tuple's values are the contract's own: that is what compileReducer guarantees.
  const row = (values: Tuple): Stored<Of> => toRow(names, values) as Stored<Of>
  return {
    normalise: (incoming) =>
      map(({ tuple: values, anomalies }: { tuple: Tuple; anomalies: readonly string[] }) => ({ row: row(values), anomalies }))(
        normalise(incoming),
      ),
    insert: (incoming) => row(tuple(incoming)),
    merge: (stored, incoming) => {
      const [kept, arrived] = [tuple(stored), tuple(incoming)]
      sameKey(kept, arrived)
      return row(merge(kept, arrived))
    },
    fold: (rows) => fold(Array.from(rows, tuple)).map(row),
  }
}

/** Instants compare as text, so a row that somebody wrote by hand is brought to the canonical spelling. */
const compileCanonical = (contract: Contract, names: readonly string[]): ((row: Tuple) => Tuple) => {
  const instants = new Set(names.filter((name) => columnOf(contract, name).type === 'instant'))
  return (row) =>
    row.map((value, at) => {
      const name = names[at] ?? ''
      if (value === null || !instants.has(name)) return value
      const instant = toInstant(String(value))
      if (instant !== undefined) return instant
      throw new MergelawError('row', `${contract.table}.${name}: ${show(value)} is no instant.`, {
        details: { table: contract.table, column: name, value },
      })
    })
}

/** Two rows of different keys are two rows of the table, and no merge of them means anything. */
const compileSameKey = (contract: Contract, names: readonly string[]): ((stored: Tuple, incoming: Tuple) => void) => {
  const keyAt = contract.key.map((name) => names.indexOf(name))
  return (stored, incoming) => {
    const at = keyAt.find((position) => stored[position] !== incoming[position])
    if (at === undefined) return
    const column = names[at] ?? ''
    const message = `${contract.table}.${column}: ${show(stored[at])} and ${show(incoming[at])} are two keys; only rows of one key merge.`
    throw new MergelawError('row', message, { details: { table: contract.table, column } })
  }
}

/** A row's values in column order. */
export const toTuple = (names: readonly string[], row: Readonly<Record<string, unknown>>): Tuple =>
  // Rows come from the normaliser or a decoder, which typed every value.
  names.map((name) => (Object.hasOwn(row, name) ? (row[name] as Value | undefined) : undefined) ?? null)

/** The inverse of `toTuple`. `fromEntries` defines properties, so that a column named `__proto__` is a column. */
export const toRow = (names: readonly string[], tuple: Tuple): Readonly<Record<string, Value>> =>
  Object.fromEntries(names.map((name, at) => [name, valueAt(tuple, at)]))
