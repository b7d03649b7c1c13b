import type { FrozenBy } from './frozen-by.ts'
import type { Key } from './key.ts'
import type { Plain } from './plain.ts'

/** How a later row merges into a stored one, for one column. */
export type Rule = Key | Plain | FrozenBy

export type RuleKind = Rule['kind']
export type PlainKind = Plain['kind']

/** Every rule kind, once. Tests iterate over this list and never retype it. */
export const RULE_KINDS = Object.keys({
  key: true,
  writeOnce: true,
  firstNonNull: true,
  lastNonNull: true,
  lastValue: true,
  touch: true,
  boolOr: true,
  frozenBy: true,
} satisfies Record<RuleKind, true>) as readonly RuleKind[] // Object.keys forgets the literal names

export type { BoolOr } from './bool-or.ts'
export { boolOr } from './bool-or.ts'
export type { FirstNonNull } from './first-non-null.ts'
export { firstNonNull } from './first-non-null.ts'
export { frozenBy } from './frozen-by.ts'
export { key } from './key.ts'
export type { LastNonNull } from './last-non-null.ts'
export { lastNonNull } from './last-non-null.ts'
export type { LastValue } from './last-value.ts'
export { lastValue } from './last-value.ts'
export { ONLY_SELECTS } from './plain.ts'
export type { Touch } from './touch.ts'
export { touch } from './touch.ts'
export type { WriteOnce } from './write-once.ts'
export { writeOnce } from './write-once.ts'
export type { FrozenBy, Key, Plain }
