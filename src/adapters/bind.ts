import { MergelawError } from '../errors/index.ts'
import type { Place } from './errors.ts'

const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

/**
 * Refuses what is no `SqlValue`, for callers without types.
 *
 * A number would become REAL in SQLite ('5.0' in a text column, hazard 33), `undefined` NULL on one driver and an error on the
 * other, a Date local text, an integer past int64 a rounded REAL or an error that names no parameter.
 */
export const checkParams = (place: Place, params: readonly unknown[]): void => {
  for (let at = 0; at < params.length; at++) {
    const value = params[at]
    if (typeof value === 'string' || value === null) continue
    if (typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX) continue
    throw refusal(place, at, value)
  }
}

const refusal = (place: Place, at: number, value: unknown): MergelawError => {
  const shown = typeof value === 'bigint' ? `${value}, which lies outside int64` : `${String(value)} (${typeof value})`
  const row = place.row === undefined ? '' : ` of row ${place.row} (counted from 0)`
  return new MergelawError(
    'unsupported-value',
    `"${place.step}" failed: parameter ${at + 1}${row} is ${shown}. Bind text and instants as string, int64 and bool as bigint, absent as null.`,
    { details: { ...place, parameter: at + 1, value } },
  )
}
