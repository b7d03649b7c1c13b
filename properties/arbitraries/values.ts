/** Values of every column type, with every special one; as they may arrive, so instants in any legal spelling. */
import fc from 'fast-check'
import type { AbsentRule, ColumnType } from '../../src/index.ts'

export const MARKER = '__unavailable__'

/** Texts that break encoders, comparisons, and printers of literals. */
export const SPECIAL_TEXTS: readonly string[] = [
  ...['', ' ', 'a', 'b', 'unknown', 'null', 'NULL', MARKER, 'true', '0', '5.0', '12'],
  ...['\0', 'a\0b', '\ud800', '\udc00x', 'x\udbff', '\uFFFD', '\uFF5E', '😀', '𐀀', 'é', 'e\u0301', '\u202Ea', '\uFEFF'],
  ...["'", "it''s", '"', '\\', "\\'", "'; DROP TABLE x; --", '$1', '?', ':a', '%s', '$$', '\n', '\r\n', '\t', '-- x', '/*'],
  'long '.repeat(2_000), // past every in-page limit, and compressible: PostgreSQL refuses index entries over 2,700 bytes
]

const two = (power: bigint): bigint => 2n ** power

/** Integers at the edges of int4, of a float's exactness and of int64, and the ones that may mean "not reported". */
export const SPECIAL_INTEGERS: readonly bigint[] = [
  ...[0n, 1n, -1n, 2n, 3_000_000_000n, two(31n), two(31n) - 1n, -two(31n), -two(31n) - 1n],
  ...[two(53n) - 1n, two(53n), two(53n) + 1n, -two(53n) + 1n, -two(53n), -two(53n) - 1n, two(63n) - 1n, -two(63n)],
]

const MICROS = 1_000_000n
const DAY = 86_400n * MICROS
/** 0001-01-03 and 9999-12-29: two days inside the years both databases hold, so that no offset writes a local year of other width. */
const FIRST = -62_135_596_800n * MICROS + 2n * DAY
const LAST = 253_402_300_799n * MICROS - 2n * DAY

/** Microseconds since 1970 of instants that are near each other, near an edge, or anywhere. */
export const micros = (): fc.Arbitrary<bigint> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...[0n, 1n, 2n, 999_999n, MICROS].map((step) => 1_785_771_140_123_456n + step)) },
    { weight: 1, arbitrary: fc.constantFrom(FIRST, LAST, 0n, -1n, -MICROS, 951_782_400n * MICROS) }, // 951782400: 29 February 2000
    { weight: 1, arbitrary: fc.bigInt({ min: FIRST, max: LAST }) },
  )

const pad = (value: bigint, width: number): string => value.toString().padStart(width, '0')
const floorDivide = (value: bigint, by: bigint): bigint => (value < 0n ? (value + 1n) / by - 1n : value / by)

/** The canonical text, computed without the library: date arithmetic on whole seconds, which `Date` does exactly. */
export const canonicalText = (instant: bigint): string => {
  const seconds = floorDivide(instant, MICROS)
  const date = new Date(Number(seconds) * 1_000).toISOString() // years 0001 to 9999: always four digits
  return `${date.slice(0, 19)}.${pad(instant - seconds * MICROS, 6)}Z`
}

export interface Spelling {
  readonly separator: string
  readonly zone: string
  /** Minutes east of UTC that `zone` says. */
  readonly offset: number
  /** Digits of the fraction, 0 to 9; digits that would be lost are written anyway. */
  readonly digits: number
  /** What stands after the microseconds, where nine digits are written. */
  readonly nanos: string
}

const ZONES: readonly (readonly [string, number])[] = [
  ...([
    ['Z', 0],
    ['z', 0],
    ['', 0],
    ['+00:00', 0],
    ['-00:00', 0],
  ] as const),
  ...([
    ['+05:45', 345],
    ['-03:30', -210],
    ['+14:00', 840],
    ['-12:00', -720],
    ['+00:01', 1],
  ] as const),
]

export const spelling = (): fc.Arbitrary<Spelling> =>
  fc
    .record({
      separator: fc.constantFrom('T', 't', ' '),
      zone: fc.constantFrom(...ZONES),
      digits: fc.integer({ min: 0, max: 9 }), // RFC 3339 allows more; the contract's spellings end at nanoseconds
      nanos: fc.constantFrom('000', '001', '500', '999'),
    })
    .map(({ zone: [zone, offset], ...rest }) => ({ ...rest, zone, offset }))

/** Writes an instant in a spelling; as many digits as it needs at least, so that the text always means the same instant. */
export const spell = (instant: bigint, { separator, zone, offset, digits, nanos }: Spelling): string => {
  const local = canonicalText(instant + BigInt(offset) * 60n * MICROS)
  const fraction = `${local.slice(20, 26)}${digits > 6 ? nanos.slice(0, digits - 6) : ''}`
  const needed = fraction.slice(0, 6).replace(/0+$/, '').length
  const written = digits > 6 ? fraction : fraction.slice(0, Math.max(digits, needed))
  return `${local.slice(0, 10)}${separator}${local.slice(11, 19)}${written === '' ? '' : `.${written}`}${zone}`
}

const instant = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 1, arbitrary: micros().map(canonicalText) },
    { weight: 1, arbitrary: fc.tuple(micros(), spelling()).map(([at, how]) => spell(at, how)) },
  )

const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c') }, // few values, so that ties are real
    { weight: 3, arbitrary: fc.constantFrom(...SPECIAL_TEXTS) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  )

const integer = (): fc.Arbitrary<bigint | number> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...SPECIAL_INTEGERS) },
    { weight: 1, arbitrary: fc.bigInt({ min: -two(63n), max: two(63n) - 1n }) }, // the type's own range
    { weight: 1, arbitrary: fc.constantFrom(0, -0, 7, -7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER) },
  )

/** A value of the type as a caller may send it. A new type must be added here. */
export const VALUES = {
  text,
  int64: integer,
  bool: () => fc.boolean(),
  instant,
} satisfies Record<ColumnType, () => fc.Arbitrary<unknown>>

/** The nearest value that is present, for columns that must have one: built, never filtered. */
export const present = (value: unknown, absent: readonly AbsentRule[]): unknown => {
  if (typeof value === 'bigint' || typeof value === 'number') {
    const positive = absent.includes('negative') && value < 0 ? (value === -two(63n) ? 1n : -value) : value
    return absent.includes('zero') && BigInt(positive) === 0n ? 1n : positive
  }
  const isAbsent = absent.some((rule) => (typeof rule === 'object' ? rule.marker === value : rule === 'empty' && value === ''))
  return isAbsent ? `${String(value)}x` : value // longer than the marker and than '', so neither
}
