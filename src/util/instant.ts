import { Temporal } from 'temporal-polyfill'

/**
 * An instant as this library holds it: UTC text with six digits, `2026-08-03T15:32:20.123456Z`.
 *
 * Fixed width, so that it compares as text. Never a `Date`, which has no microseconds.
 */
export type Instant = string

const PATTERN = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:[0-5]\d)(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})?$/

export interface InstantParts {
  /** UTC, to the second: `2026-08-03T15:32:20`. */
  readonly seconds: string
  /** The fraction as written: any number of digits, RFC 3339 knows no most. */
  readonly fraction: string
}

/**
 * Reads any spelling a stored row may carry: `T` or space, `Z`, an offset or none (then UTC), any number of digits.
 *
 * Undefined for anything that is no instant, for a leap second (Temporal reads :59, PostgreSQL the next minute, SQLite nothing), and
 * outside the years 0001 to 9999, which SQLite or PostgreSQL cannot hold.
 * `requireOffset` is RFC 3339: a text without zone is no instant.
 */
export const readInstant = (text: string, requireOffset = false): InstantParts | undefined => {
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  const [, date, time, fraction = '', zone] = match
  if (zone === undefined && requireOffset) return undefined
  try {
    const instant = Temporal.Instant.from(`${date}T${time}${zone?.toUpperCase() ?? 'Z'}`)
    const seconds = instant.toString({ smallestUnit: 'second' }).slice(0, -1)
    return /^\d{4}-/.test(seconds) && !seconds.startsWith('0000') ? { seconds, fraction } : undefined
  } catch {
    return undefined
  }
}

/** The canonical text of an instant in any spelling, digits past the sixth cut; undefined when it is none. */
export const toInstant = (text: string, requireOffset = false): Instant | undefined => {
  if (isCanonical(text)) return text
  const parts = readInstant(text, requireOffset)
  return parts === undefined ? undefined : `${parts.seconds}.${parts.fraction.padEnd(6, '0').slice(0, 6)}Z`
}

const ZERO = 48
const DASH = 45
const COLON = 58
const DOT = 46
const T = 84
const Z = 90

/** The last text that was canonical: a row carries one instant in several columns, and so the same text comes again at once. */
let lastCanonical = '2000-01-01T00:00:00.000000Z'

/**
 * True for text that is already canonical and a real date up to the 28th: the common case, read without a parser.
 *
 * Days 29 to 31 and seconds of 60 go through Temporal, which knows the calendar.
 */
const isCanonical = (text: string): boolean => {
  if (text === lastCanonical) return true
  if (text.length !== 27 || !hasSeparators(text)) return false
  const month = number(text, 5, 7)
  const day = number(text, 8, 10)
  if (number(text, 0, 4) <= 0 || month <= 0 || month > 12 || day <= 0 || day > 28) return false
  if (!inRange(number(text, 11, 13), 23) || !inRange(number(text, 14, 16), 59) || !inRange(number(text, 17, 19), 59)) return false
  if (number(text, 20, 26) < 0) return false
  lastCanonical = text
  return true
}

const hasSeparators = (text: string): boolean =>
  text.charCodeAt(4) === DASH &&
  text.charCodeAt(7) === DASH &&
  text.charCodeAt(10) === T &&
  text.charCodeAt(13) === COLON &&
  text.charCodeAt(16) === COLON &&
  text.charCodeAt(19) === DOT &&
  text.charCodeAt(26) === Z

/** The number these digits write; -1 where one of them is none. */
const number = (text: string, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

const inRange = (value: number, max: number): boolean => value >= 0 && value <= max
