import type { Dialect } from '../adapters/session.ts'
import { type Contract, compileReducer, lawsOf, type Tuple, type Value } from '../rules/index.ts'
import { compareCodePoints } from '../util/code-points.ts'
import { finish, type Rows } from './rows.ts'

/** One row to write, and which of them it is. */
export interface Entry {
  readonly row: Tuple
  readonly group: number
}

export interface Collected {
  /** In the order of writing. */
  readonly entries: readonly Entry[]
  /** The positions of the input rows that went into an entry, ascending. */
  readonly membersOf: (entry: Entry) => readonly number[]
}

/** Folds rows of one key where the laws allow it, and puts them in the order of writing. */
export const compileCollect = (contract: Contract, dialect: Dialect): ((rows: Rows) => Collected) => {
  const reducer = compileReducer(contract)
  const isFoldable = lawsOf(contract).contract.includes('foldable')
  const keyAt = contract.key.map((name) => reducer.names.indexOf(name))
  return (rows) => {
    const { add, rows: merged } = isFoldable ? reducer.grouping(rows.finish !== undefined) : inOrder()
    const groupOf = new Int32Array(rows.length).fill(NO_ROW)
    for (let at = 0; at < rows.length; at++) {
      const row = rows.at(at)
      if (row !== undefined) groupOf[at] = add(row)
    }
    const entries = merged().map((row, group): Entry => {
      finish(rows, row)
      return { row, group }
    })
    return {
      entries: isFoldable && dialect === 'postgres' ? sortByKey(entries, keyAt) : entries,
      membersOf: membersOf(groupOf, entries.length),
    }
  }
}

const NO_ROW = -1

/** Every row for itself. */
const inOrder = (): { readonly add: (row: Tuple) => number; readonly rows: () => readonly Tuple[] } => {
  const rows: Tuple[] = []
  return { add: (row) => rows.push(row) - 1, rows: () => rows }
}

/** Two arrays of integers hold all lists: a list for each group would cost more than the fold itself. */
const membersOf = (groupOf: Int32Array, groups: number): Collected['membersOf'] => {
  const first = new Int32Array(groups).fill(NO_ROW)
  const next = new Int32Array(groupOf.length)
  for (let at = groupOf.length - 1; at >= 0; at--) {
    const group = groupOf[at] ?? NO_ROW
    if (group === NO_ROW) continue
    next[at] = first[group] ?? NO_ROW
    first[group] = at
  }
  return ({ group }) => {
    const members: number[] = []
    for (let at = first[group] ?? NO_ROW; at !== NO_ROW; at = next[at] ?? NO_ROW) members.push(at)
    return members
  }
}

/** Orders rows by their whole key, text by UTF-8 bytes: two writers then lock rows in one order (hazard 47). */
const sortByKey = (entries: readonly Entry[], keyAt: readonly number[]): readonly Entry[] =>
  entries.toSorted((a, b) => {
    for (const at of keyAt) {
      const order = compareValues(a.row[at] ?? null, b.row[at] ?? null)
      if (order !== 0) return order
    }
    return 0
  })

const compareValues = (a: Value, b: Value): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  if (a === b || a === null || b === null) return 0
  return a < b ? -1 : 1
}
