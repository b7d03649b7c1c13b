import type { Tuple, Value } from './values.ts'

/** Rows merged by their key while they come in. */
export interface Grouping {
  /** Merges a row into its group and answers which one that is. */
  readonly add: (row: Tuple) => number
  /** The merged row of each group, in order of first appearance. */
  readonly rows: () => readonly Tuple[]
}

interface Group {
  readonly at: number
  /** The merged row: our own from the first merge on, when it changes in place. */
  row: Tuple
  own: Value[] | undefined
  /** The next group of the same chain. */
  next: Group | undefined
}

/** Makes the row that further rows are merged into: a copy, unless the row was made for this grouping alone. */
export type Own = (row: Tuple) => Value[]

/** Groups rows by their key and merges each group in order. */
export const groupByKey = (keyAt: readonly number[], mergeInto: (row: Value[], incoming: Tuple) => void, own: Own): Grouping => {
  const groups: Group[] = []
  let index = partIndex(keyAt, keyAt.at(-1) ?? 0, groups)
  return {
    add: (row) => {
      const group = index.find(row)
      if (group === undefined) {
        const created: Group = { at: groups.length, row, own: undefined, next: undefined }
        groups.push(created)
        index = index.add(created)
        return created.at
      }
      if (group.own === undefined) {
        group.own = own(group.row)
        group.row = group.own
      }
      mergeInto(group.own, row)
      return group.at
    },
    rows: () => groups.map(({ row }) => row),
  }
}

/** Finds the group of a row. `add` answers the index to go on with: this one, or a better one. */
interface Index {
  readonly find: (row: Tuple) => Group | undefined
  readonly add: (group: Group) => Index
}

const MAX_CHAIN = 32

/**
 * A map on one part of the key, with a chain for the others: less than half the cost of a text key for each row.
 *
 * It starts with the last part, which in most keys is the finest. When a chain grows long, the part that tells the groups apart best
 * takes over, and after that the whole key as text.
 */
const partIndex = (keyAt: readonly number[], main: number, groups: readonly Group[]): Index => {
  const chains = new Map<Value | undefined, Group>()
  const others = keyAt.filter((at) => at !== main)
  const enter = (group: Group): void => {
    group.next = chains.get(group.row[main])
    chains.set(group.row[main], group)
  }
  for (const group of groups) enter(group)
  const index: Index = {
    find: (row) => {
      let group = chains.get(row[main])
      while (group !== undefined && !sameAt(group.row, row, others)) group = group.next
      return group
    },
    add: (group) => {
      enter(group)
      if (!isLong(group)) return index
      const finest = mostSelective(keyAt, groups)
      return finest === main ? textIndex(keyAt, groups) : partIndex(keyAt, finest, groups)
    },
  }
  return index
}

const isLong = (chain: Group): boolean => {
  let length = 0
  for (let group: Group | undefined = chain; group !== undefined; group = group.next) length++
  return length > MAX_CHAIN
}

const textIndex = (keyAt: readonly number[], groups: readonly Group[]): Index => {
  const textOf = keyTextOf(keyAt)
  const byText = new Map(groups.map((group) => [textOf(group.row), group]))
  const index: Index = {
    find: (row) => byText.get(textOf(row)),
    add: (group) => {
      byText.set(textOf(group.row), group)
      return index
    },
  }
  return index
}

const sameAt = (a: Tuple, b: Tuple, columns: readonly number[]): boolean => {
  for (const at of columns) if (a[at] !== b[at]) return false
  return true
}

/**
 * A text that is the same for two rows exactly when their keys are.
 *
 * Lengths before the parts, so that ('a','bc') and ('ab','c') stay two keys whatever characters they hold.
 */
export const keyTextOf =
  (keyAt: readonly number[]) =>
  (row: Tuple): string => {
    let text = ''
    for (const at of keyAt) {
      const part = String(row[at])
      text += `${part.length}:${part}`
    }
    return text
  }

const mostSelective = (keyAt: readonly number[], groups: readonly Group[]): number => {
  const distinct = (at: number): number => new Set(groups.map(({ row }) => row[at])).size
  return keyAt.reduce((best, at) => (distinct(at) > distinct(best) ? at : best), keyAt[0] ?? 0)
}
