import type { Instant } from '../util/instant.ts'

/** Column types a contract may declare, and what each one is in TypeScript. */
export interface ValueOf {
  text: string
  /** 64 bits, signed. Never a float, never a `number`: those end at 2^53. */
  int64: bigint
  bool: boolean
  /** UTC with six digits, `2026-08-03T15:32:20.123456Z`. */
  instant: Instant
}
export type ColumnType = keyof ValueOf

/** One value of a row; `null` is "absent", always. */
export type Value = ValueOf[ColumnType] | null

/** The values of one row in the contract's column order. */
export type Tuple = readonly Value[]

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n
