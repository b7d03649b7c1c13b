import type { AbsentRule, Int64Absent, TextAbsent } from './absence.ts'
import type { BoolOr, FirstNonNull, FrozenBy, Key, LastNonNull, LastValue, Rule, Touch, WriteOnce } from './kinds/index.ts'
import type { ColumnType } from './values.ts'

type AnyType = WriteOnce | FirstNonNull | LastNonNull | LastValue

interface Spec<Type extends ColumnType, PlainRule extends AnyType | Touch | BoolOr, Absent, Default> {
  readonly type: Type
  /** May the column be NULL? Default false: then every row must carry it, unless it has a default. */
  readonly nullable?: boolean
  /** When a value means "not reported". Default for text: `['empty']`; write `[]` where the empty text is a value. */
  readonly absent?: readonly Absent[]
  /** The value of a *new* row that does not carry the column. Only where it can never overwrite a stored value. */
  readonly default?: Default
  readonly rule: Key | PlainRule | FrozenBy<string, PlainRule>
}

export type TextColumn = Spec<'text', AnyType, TextAbsent, string>
export type Int64Column = Spec<'int64', AnyType, Int64Absent, never>
export type BoolColumn = Spec<'bool', AnyType | BoolOr, never, boolean>
export interface InstantColumn extends Spec<'instant', AnyType | Touch, never, never> {
  /** PostgreSQL's type: a naive TIMESTAMP that means UTC (the default), or timestamptz. */
  readonly postgres?: 'timestamp' | 'timestamptz'
}

/** One column as a user writes it. The type decides which rules, absences and defaults exist. */
export type ColumnSpec = TextColumn | Int64Column | BoolColumn | InstantColumn

export type ColumnSpecs = Readonly<Record<string, ColumnSpec>>

/** One column as the contract holds it: every choice spelled out. */
export interface Column {
  readonly type: ColumnType
  readonly nullable: boolean
  readonly absent: readonly AbsentRule[]
  readonly default?: string | boolean
  readonly rule: Rule
  readonly postgres?: 'timestamp' | 'timestamptz'
}

/** Spells out what a column spec leaves to its defaults. */
export const resolveColumn = (spec: ColumnSpec): Column => ({
  type: spec.type,
  nullable: spec.nullable ?? false,
  absent: spec.absent ?? (spec.type === 'text' ? ['empty'] : []),
  ...defaultOf(spec),
  rule: spec.rule,
  ...(spec.type === 'instant' ? { postgres: spec.postgres ?? 'timestamp' } : {}),
})

/** A flag that is never NULL starts as false: that is what "not reported yet" means for `boolOr`. */
const defaultOf = (spec: ColumnSpec): Pick<Column, 'default'> => {
  if (spec.default !== undefined) return { default: spec.default }
  return spec.rule.kind === 'boolOr' && spec.nullable !== true ? { default: false } : {}
}
