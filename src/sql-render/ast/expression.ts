import type { SqlType } from './types.ts'

/** The rows an expression can read: the one in the table, the one that conflicted with it, or the only one there is. */
export type RowName = 'stored' | 'excluded' | 'unqualified'

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/** An SQL expression as frozen plain data; it knows no rule and no dialect. */
export type Expression =
  | { readonly kind: 'column'; readonly row: RowName; readonly name: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly type: SqlType }
  | { readonly kind: 'literal'; readonly value: string | bigint | boolean | null }
  | { readonly kind: 'coalesce'; readonly operands: readonly Expression[] }
  | { readonly kind: 'case'; readonly branches: readonly Branch[]; readonly otherwise: Expression }
  | { readonly kind: 'isNull' | 'isNotNull' | 'isTrue'; readonly operand: Expression }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  /** An instant in a form that compares: every stored spelling of one moment becomes one value. */
  | { readonly kind: 'moment'; readonly operand: Expression; readonly type: SqlType }
  /** A text in a form that orders by its UTF-8 bytes. */
  | { readonly kind: 'bytes'; readonly operand: Expression }
  /** A value as the codec reads it back. */
  | { readonly kind: 'read'; readonly operand: Expression; readonly type: SqlType }

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
export const and = (...operands: readonly Expression[]): Expression => ({ kind: 'and', operands })
export const or = (...operands: readonly Expression[]): Expression => ({ kind: 'or', operands })
export const moment = (operand: Expression, type: SqlType): Expression => ({ kind: 'moment', operand, type })
export const bytes = (operand: Expression): Expression => ({ kind: 'bytes', operand })
export const read = (operand: Expression, type: SqlType): Expression => ({ kind: 'read', operand, type })
