import type { BoolOr } from './bool-or.ts'
import type { FirstNonNull } from './first-non-null.ts'
import type { LastNonNull } from './last-non-null.ts'
import type { LastValue } from './last-value.ts'
import type { Touch } from './touch.ts'
import type { WriteOnce } from './write-once.ts'

/**
 * A rule that reads only its own column, and may stand inside `frozenBy`.
 *
 * A new kind is added here; the compiler then names every place that must know it: the reducer, the laws, the lowering, the
 * arbitraries of the properties.
 */
export type Plain = WriteOnce | FirstNonNull | LastNonNull | LastValue | Touch | BoolOr

/** Rules that hand on one of two values and look no further than whether they are there: such a value may wait to be spelled. */
export const ONLY_SELECTS: Readonly<Record<Plain['kind'], boolean>> = {
  writeOnce: true,
  firstNonNull: true,
  lastNonNull: true,
  lastValue: true,
  touch: false,
  boolOr: false,
}
