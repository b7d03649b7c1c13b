/** Strict comparison of rows: null is not undefined, 1 is not 1n, -0 is not 0. */
import type { Contract, Tuple, Value } from '../../src/index.ts'

export interface Difference {
  /** The row's position in read order, and the first column that differs; undefined when one side has no such row. */
  readonly row: number
  readonly column: string | undefined
  readonly expected: Tuple | undefined
  readonly actual: Tuple | undefined
}

/** The first difference of two tables in read order; undefined when they are the same. */
export const firstDifference = (
  names: readonly string[],
  expected: readonly Tuple[],
  actual: readonly Tuple[],
): Difference | undefined => {
  for (let row = 0; row < Math.max(expected.length, actual.length); row++) {
    const [left, right] = [expected[row], actual[row]]
    if (left === undefined || right === undefined) return { row, column: undefined, expected: left, actual: right }
    const at = names.findIndex((_, column) => !Object.is(left[column], right[column]))
    if (at >= 0) return { row, column: names[at], expected: left, actual: right }
    if (left.length !== names.length || right.length !== names.length)
      return { row, column: undefined, expected: left, actual: right }
  }
  return undefined
}

const compareValues = (a: Value, b: Value): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** Sorts as the contract reads: text by UTF-8 bytes, NULL first. */
export const inReadOrder = (contract: Contract, rows: readonly Tuple[]): readonly Tuple[] => {
  const names = Object.keys(contract.columns)
  const order = contract.readOrder.map((name) => names.indexOf(name))
  return rows.toSorted((a, b) => {
    for (const at of order) {
      const sign = compareValues(a[at] ?? null, b[at] ?? null)
      if (sign !== 0) return sign
    }
    return 0
  })
}
