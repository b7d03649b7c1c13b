import type { Tuple, Value } from '../rules/index.ts'

/**
 * Normalised rows by position; an array of tuples is one. Undefined where a position has no row.
 *
 * Each is asked for in order, and those of a refused row a second time, in order, when they are written one by one: a source that
 * makes its rows need not keep them, and must give the same row again.
 */
export interface Rows {
  readonly length: number
  at(position: number): Tuple | undefined
  /**
   * For a source that makes a new row every time it is asked: others are merged into that row in place, and what merging does not
   * look at is left to this, once for each row that is written, in place.
   */
  finish?(row: Value[]): void
}

/** Completes a row. A tuple is an array; readonly only says that it is somebody else's, which a made row is not. */
export const finish = (rows: Rows, row: Tuple): void => rows.finish?.(row as Value[])
