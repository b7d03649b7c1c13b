import type { SqlType } from './types.ts'

/**
 * The rows an expression can read: the one in the table, the one that conflicted with it, or the only one there is; in queries over
 * several tables the source row with its document, the parent it points at, and what was staged.
 */
export type RowName = 'stored' | 'excluded' | 'unqualified' | 'source' | 'parent' | 'staged'

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/** An SQL expression as frozen plain data; it knows no rule and no dialect. */
export type Expression =
  | { readonly kind: 'column'; readonly row: RowName; readonly name: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly type: SqlType }
  | { readonly kind: 'literal'; readonly value: string | bigint | boolean | null }
  | { readonly kind: 'coalesce'; readonly operands: readonly Expression[] }
  | { readonly kind: 'case'; readonly branches: readonly Branch[]; readonly otherwise: Expression }
  | { readonly kind: 'isNull' | 'isNotNull' | 'isTrue'; readonly operand: Expression }
  /** A condition's opposite; the operand is a condition, not a stored 0 or 1. */
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'in'; readonly operand: Expression; readonly values: readonly string[] }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'minus'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  /** An instant in a form that compares: every stored spelling of one moment becomes one value. */
  | { readonly kind: 'moment'; readonly operand: Expression; readonly type: SqlType }
  /** A text in a form that orders by its UTF-8 bytes. */
  | { readonly kind: 'bytes'; readonly operand: Expression }
  /** A value as the codec reads it back. */
  | { readonly kind: 'read'; readonly operand: Expression; readonly type: SqlType }
  | QueryExpression

/** What only queries over whole tables hold. */
export type QueryExpression =
  /** A row exists in the table whose columns equal these. */
  | { readonly kind: 'exists'; readonly table: string; readonly equal: readonly Output[] }
  /** A moment, and NULL for what is no instant at all. */
  | { readonly kind: 'instant'; readonly operand: Expression; readonly type: SqlType }
  /** A stored instant is not before another one, exact to the microsecond; an index on the column serves. */
  | { readonly kind: 'atOrAfter'; readonly operand: Expression; readonly since: Expression; readonly type: SqlType }
  /** A JSON text may hold this text (letters and `_`), however it is escaped. Cheap, and true too often rather than too seldom. */
  | { readonly kind: 'mentions'; readonly operand: Expression; readonly text: string }
  /** A text that every database can hold; NULL for anything else. */
  | { readonly kind: 'plainText'; readonly operand: Expression }
  /** A new random UUID. */
  | { readonly kind: 'uuid' }
  | { readonly kind: 'max' | 'sum'; readonly operand: Expression }
  /** How many rows: of the group, or of the whole result. */
  | { readonly kind: 'count'; readonly of: 'group' | 'result' }
  /** The row's place within its partition, from 1. */
  | { readonly kind: 'rank'; readonly partition: readonly Expression[]; readonly newestFirst: readonly Expression[] }

/** One output column: an expression under a name. */
export interface Output {
  readonly name: string
  readonly value: Expression
}

export interface Branch {
  readonly when: Expression
  readonly then: Expression
}

export const column = (row: RowName, name: string): Expression => ({ kind: 'column', row, name })
export const stored = (name: string): Expression => column('stored', name)
export const excluded = (name: string): Expression => column('excluded', name)
export const parameter = (name: string, type: SqlType): Expression => ({ kind: 'parameter', name, type })
export const literal = (value: string | bigint | boolean | null): Expression => ({ kind: 'literal', value })
export const coalesce = (...operands: readonly Expression[]): Expression => ({ kind: 'coalesce', operands })
export const caseWhen = (branches: readonly Branch[], otherwise: Expression): Expression => ({
  kind: 'case',
  branches,
  otherwise,
})
export const isNull = (operand: Expression): Expression => ({ kind: 'isNull', operand })
export const isNotNull = (operand: Expression): Expression => ({ kind: 'isNotNull', operand })
export const isTrue = (operand: Expression): Expression => ({ kind: 'isTrue', operand })
export const compare = (left: Expression, operator: Comparison, right: Expression): Expression => ({
  kind: 'compare',
  operator,
  left,
  right,
})
export const or = (...operands: readonly Expression[]): Expression => ({ kind: 'or', operands })
export const moment = (operand: Expression, type: SqlType): Expression => ({ kind: 'moment', operand, type })
export const bytes = (operand: Expression): Expression => ({ kind: 'bytes', operand })
export const read = (operand: Expression, type: SqlType): Expression => ({ kind: 'read', operand, type })
export const not = (operand: Expression): Expression => ({ kind: 'not', operand })
export const isOneOf = (operand: Expression, values: readonly string[]): Expression => ({ kind: 'in', operand, values })
export const exists = (table: string, equal: readonly Output[]): Expression => ({ kind: 'exists', table, equal })
export const instant = (operand: Expression, type: SqlType): Expression => ({ kind: 'instant', operand, type })
export const atOrAfter = (operand: Expression, since: Expression, type: SqlType): Expression => ({
  kind: 'atOrAfter',
  operand,
  since,
  type,
})
export const mentions = (operand: Expression, text: string): Expression => ({ kind: 'mentions', operand, text })
export const plainText = (operand: Expression): Expression => ({ kind: 'plainText', operand })
export const uuid: Expression = { kind: 'uuid' }
export const max = (operand: Expression): Expression => ({ kind: 'max', operand })
export const sum = (operand: Expression): Expression => ({ kind: 'sum', operand })
export const count = (of: 'group' | 'result'): Expression => ({ kind: 'count', of })
export const rank = (partition: readonly Expression[], newestFirst: readonly Expression[]): Expression => ({
  kind: 'rank',
  partition,
  newestFirst,
})
