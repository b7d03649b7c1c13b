import type { Tuple, Value } from './values.ts'

/** The rows of one key, merged in order. */
export interface Group {
  readonly row: Tuple
  /** Positions of the rows in the input, ascending. */
  readonly members: readonly number[]
}

interface Building {
  row: Tuple
  /** Our own copy of `row`, from the first merge on; it changes in place, and no input row ever does. */
  own: Value[] | undefined
  readonly members: number[]
}

/** Groups rows by their key and merges each group, in order of first appearance. */
export const groupByKey = (
  keyAt: readonly number[],
  rows: readonly Tuple[],
  mergeInto: (row: Value[], incoming: Tuple) => void,
): readonly Group[] => {
  const groups: Building[] = []
  let index: Index = partIndex(keyAt, rows)
  rows.forEach((row, position) => {
    const group = index.find(row)
    if (group === undefined) {
      const created: Building = { row, own: undefined, members: [position] }
      groups.push(created)
      if (!index.add(created)) index = textIndex(keyAt, groups)
      return
    }
    group.own ??= [...group.row]
    mergeInto(group.own, row)
    group.row = group.own
    group.members.push(position)
  })
  return groups
}

/** Finds the group of a row. `add` answers false when this index has grown slow, and must be replaced. */
interface Index {
  readonly find: (row: Tuple) => Building | undefined
  readonly add: (group: Building) => boolean
}

const MAX_CHAIN = 32

/**
 * A map on the key part that tells rows apart best, with a chain for the others: less than half the cost of a text key for each
 * row. Chains stay short, or the text index takes over.
 */
const partIndex = (keyAt: readonly number[], rows: readonly Tuple[]): Index => {
  const chains = new Map<Value | undefined, Building[]>()
  const main = mostSelective(keyAt, rows)
  const others = keyAt.filter((at) => at !== main)
  return {
    find: (row) => {
      const chain = chains.get(row[main])
      if (chain !== undefined) for (const group of chain) if (sameAt(group.row, row, others)) return group
      return undefined
    },
    add: (group) => {
      const chain = chains.get(group.row[main])
      if (chain === undefined) chains.set(group.row[main], [group])
      else chain.push(group)
      return chain === undefined || chain.length <= MAX_CHAIN
    },
  }
}

const textIndex = (keyAt: readonly number[], groups: readonly Building[]): Index => {
  const byText = new Map(groups.map((group) => [keyText(keyAt, group.row), group]))
  return {
    find: (row) => byText.get(keyText(keyAt, row)),
    add: (group) => byText.set(keyText(keyAt, group.row), group).size > 0,
  }
}

const sameAt = (a: Tuple, b: Tuple, columns: readonly number[]): boolean => {
  for (const at of columns) if (a[at] !== b[at]) return false
  return true
}

/** A text that is the same for two rows exactly when their keys are. */
export const keyTextOf =
  (keyAt: readonly number[]) =>
  (row: Tuple): string =>
    keyText(keyAt, row)

/** Lengths before the parts, so that ('a','bc') and ('ab','c') stay two keys whatever characters they hold. */
const keyText = (keyAt: readonly number[], row: Tuple): string => {
  let text = ''
  for (const at of keyAt) {
    const part = String(row[at])
    text += `${part.length}:${part}`
  }
  return text
}

const SAMPLE = 64

/** The key column with the most different values in a sample from all over the input. */
const mostSelective = (keyAt: readonly number[], rows: readonly Tuple[]): number => {
  const step = Math.max(1, Math.floor(rows.length / SAMPLE))
  const sample = rows.filter((_row, position) => position % step === 0)
  const distinct = (at: number): number => new Set(sample.map((row) => row[at])).size
  return keyAt.reduce((best, at) => (distinct(at) > distinct(best) ? at : best), keyAt[0] ?? 0)
}
