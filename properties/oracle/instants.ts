/** Every pair of spellings of instants 0, 1 and 40 µs apart, with who comes first: by integers, no date function. */
import { keyInstantOf } from '../../src/subagents/index.ts'
import { canonicalText, type Spelling, spell } from '../arbitraries/values.ts'

const ZONES: readonly (readonly [zone: string, offset: number])[] = [
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
    ['+23:59', 1_439],
    ['-23:59', -1_439],
  ] as const),
]

const SPELLINGS: readonly Spelling[] = ZONES.flatMap(([zone, offset]) =>
  ['T', 't', ' '].flatMap((separator) =>
    (
      [
        [0, '000'],
        [6, '000'],
        [9, '000'],
        [7, '100'],
        [9, '001'],
        [9, '999'],
      ] as const
    ).map(([digits, nanos]) => ({ separator, zone, offset, digits, nanos })),
  ),
)

/** A whole second, one microsecond before midnight, and any. */
export const BOUNDARY_TEXTS: readonly bigint[] = [1_785_771_140_000_000n, 1_785_801_599_999_999n, 1_785_771_140_123_456n]

const APART: readonly bigint[] = [-40n, -1n, 0n, 1n, 40n]

interface ColumnText {
  readonly text: string
  /** Digits past the sixth of a column are cut. */
  readonly micros: bigint
}

export const COLUMN_TEXTS: readonly ColumnText[] = BOUNDARY_TEXTS.flatMap((at) =>
  APART.flatMap((apart) => SPELLINGS.map((spelling) => ({ text: spell(at + apart, spelling), micros: at + apart }))),
)

export interface KeyText {
  readonly text: string
  /** Digits past the sixth of a key round up. */
  readonly micros: bigint
  readonly since: string
}

export const keyTexts = (instants: readonly bigint[]): readonly KeyText[] =>
  instants.flatMap((at) =>
    SPELLINGS.map((spelling) => {
      const text = spell(at, spelling)
      const micros = at + (spelling.digits > 6 && spelling.nanos !== '000' ? 1n : 0n)
      const since = keyInstantOf(text)
      if (since !== canonicalText(micros)) throw new Error(`the key ${text} is read as ${since}, and is ${canonicalText(micros)}`)
      return { text, micros, since }
    }),
  )

export const isAtOrAfter = (column: ColumnText, key: KeyText): boolean => column.micros >= key.micros

/** One key for each value that is bound: every spelling was read by then, and what is bound is all that a statement sees of it. */
export const boundsOf = (keys: readonly KeyText[]): readonly KeyText[] => [
  ...new Map(keys.map((key) => [key.since, key])).values(),
]
