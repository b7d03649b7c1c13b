import { MergelawError } from '../errors/index.ts'
import { type Instant, toInstant } from '../util/instant.ts'
import type { SqlRow } from './program.ts'

/** Reads a text column; null when the database holds NULL. Throws 'unsupported-value' for anything that is no text. */
export const readText = (row: SqlRow, at: number): string | null => {
  const value = read(row, at)
  if (value === null || typeof value === 'string') return value
  throw refusal(at, value, 'text')
}

/** Reads an int64 column as bigint: SQLite's safe integers and PostgreSQL's digits. Throws 'unsupported-value' otherwise. */
export const readInt64 = (row: SqlRow, at: number): bigint | null => {
  const value = read(row, at)
  if (value === null || typeof value === 'bigint') return value
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value)
  throw refusal(at, value, 'an int64')
}

/** Reads a bool: 0 or 1 as an integer, or PostgreSQL's boolean (`t`, `f`). Throws 'unsupported-value' otherwise. */
export const readBool = (row: SqlRow, at: number): boolean | null => {
  const value = read(row, at)
  if (value === null) return null
  if (value === 1n || value === '1' || value === 't') return true
  if (value === 0n || value === '0' || value === 'f') return false
  throw refusal(at, value, 'a bool')
}

/**
 * Reads an instant in any stored spelling as canonical UTC text with six digits; a spelling without zone is UTC.
 *
 * PostgreSQL prints a timestamptz in the session's time zone, its offset without minutes where they are zero (`+00`, `+05:30`).
 * Throws 'unsupported-value' for text that is no instant (infinity, another DateStyle).
 */
export const readInstant = (row: SqlRow, at: number): Instant | null => {
  const value = read(row, at)
  if (value === null) return null
  const instant = typeof value === 'string' ? toInstant(value.replace(SHORT_OFFSET, '$1:00')) : undefined
  if (instant === undefined) throw refusal(at, value, 'an instant')
  return instant
}

const SHORT_OFFSET = /(:\d{2}(?:\.\d+)?[+-]\d{2})$/

const read = (row: SqlRow, at: number): unknown => {
  const value = row[at]
  if (value !== undefined) return value
  throw new MergelawError('usage', `The row has ${row.length} values and none at position ${at}. Select it.`, { details: { at } })
}

const refusal = (at: number, value: unknown, wanted: string): MergelawError =>
  new MergelawError(
    'unsupported-value',
    `The value at position ${at} is ${typeof value === 'string' ? JSON.stringify(value) : `${String(value)} (${typeof value})`}, which is not ${wanted}. Correct the stored row.`,
    { details: { at, value } },
  )
