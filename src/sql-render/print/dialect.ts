import type { SqlType } from '../ast/index.ts'

/** What a dialect prints differently, and how its driver's values read. A dialect is one record of these hooks. */
export interface DialectHooks {
  /** The column's type in DDL. */
  readonly typeName: Readonly<Record<SqlType, string>>
  /** The n-th parameter, 1-based, cast to its column's type where the database infers another one (hazard 28). */
  readonly parameter: (position: number, type: SqlType) => string
  /** The same for an array that holds a column of many rows; undefined where the dialect has no arrays. */
  readonly arrayParameter: ((position: number, type: SqlType) => string) | undefined
  /** A column of many rows as the text of one array, values as `encode` gave them. */
  readonly arrayText: (values: readonly (string | bigint | null)[]) => string
  /** An operand of text type, ordered by UTF-8 bytes. */
  readonly bytes: (operand: string) => string
  /** An instant in the form that compares. */
  readonly moment: (operand: string, type: SqlType) => string
  /** A value in the form that `decode` reads. */
  readonly read: (operand: string, type: SqlType) => string
  /** A canonical instant (`2026-08-03T15:32:20.123456Z`) as the database stores it. */
  readonly encodeInstant: (instant: string, type: SqlType) => string
}
