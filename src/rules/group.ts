import type { Tuple, Value } from './values.ts'

/** Rows merged by their key while they come in. No row that was handed in is ever changed or kept beside the merged one. */
export interface Grouping {
  /** Merges a row into its group and answers which one that is. */
  readonly add: (row: Tuple) => number
  /** The merged row of each group, in order of first appearance. */
  readonly rows: () => readonly Tuple[]
}

interface Group {
  readonly at: number
  row: Tuple
  /** Our own copy of `row`, from the first merge on; it changes in place. */
  own: Value[] | undefined
}

/** Groups rows by their key and merges each group in order. */
export const groupByKey = (keyAt: readonly number[], mergeInto: (row: Value[], incoming: Tuple) => void): Grouping => {
  const groups: Group[] = []
  let index = partIndex(keyAt, keyAt.at(-1) ?? 0, groups)
  return {
    add: (row) => {
      const group = index.find(row)
      if (group === undefined) {
        const created: Group = { at: groups.length, row, own: undefined }
        groups.push(created)
        index = index.add(created)
        return created.at
      }
      group.own ??= [...group.row]
      mergeInto(group.own, row)
      group.row = group.own
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
  const chains = new Map<Value | undefined, Group[]>()
  const others = keyAt.filter((at) => at !== main)
  const enter = (group: Group): number => {
    const chain = chains.get(group.row[main])
    if (chain !== undefined) return chain.push(group)
    chains.set(group.row[main], [group])
    return 1
  }
  for (const group of groups) enter(group)
  const index: Index = {
    find: (row) => {
      const chain = chains.get(row[main])
      if (chain !== undefined) for (const group of chain) if (sameAt(group.row, row, others)) return group
      return undefined
    },
    add: (group) => {
      if (enter(group) <= MAX_CHAIN) return index
      const finest = mostSelective(keyAt, groups)
      return finest === main ? textIndex(keyAt, groups) : partIndex(keyAt, finest, groups)
    },
  }
  return index
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
