import type { Tuple } from '../rules/index.ts'

/**
 * Normalised rows by position; an array of tuples is one. Undefined where a position has no row.
 *
 * Each is asked for in order, and those of a refused row a second time, in order, when they are written one by one: a source that
 * makes its rows need not keep them, and must give the same row again.
 */
export interface Rows {
  readonly length: number
  at(position: number): Tuple | undefined
  /** True when `at` makes a new row every time, which then needs no copy before others are merged into it. */
  readonly isMade?: boolean
}
