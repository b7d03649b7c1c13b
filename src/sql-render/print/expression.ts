import type { Expression } from '../ast/index.ts'
import type { DialectHooks } from './dialect.ts'
import { printQueryExpression } from './query-expression.ts'
import { quoteName } from './quote.ts'

/** What a statement binds, collected while it is printed. */
export type Parameters = string[]

/** Prints an expression; every operand that is not atomic stands in parentheses where it could be read otherwise. */
export const printExpression = (node: Expression, dialect: DialectHooks, parameters: Parameters): string => {
  const print = (operand: Expression): string => printExpression(operand, dialect, parameters)
  switch (node.kind) {
    case 'column':
      return node.row === 'unqualified' ? quoteName(node.name) : `${node.row}.${quoteName(node.name)}`
    case 'parameter':
      parameters.push(node.name)
      return dialect.parameter(parameters.length, node.type)
    case 'literal':
      return printLiteral(node.value, dialect)
    case 'coalesce':
      return `COALESCE(${node.operands.map(print).join(', ')})`
    case 'case':
      return printCase(
        node.branches.map(({ when, then }) => `WHEN ${print(when)} THEN ${print(then)}`),
        `ELSE ${print(node.otherwise)}`,
      )
    case 'isNull':
      return `${print(node.operand)} IS NULL`
    case 'isNotNull':
      return `${print(node.operand)} IS NOT NULL`
    case 'isTrue':
      return `${print(node.operand)} <> 0`
    case 'compare':
      return `${print(node.left)} ${node.operator} ${print(node.right)}`
    case 'minus':
      return `${print(node.left)} - ${print(node.right)}`
    case 'and':
    case 'or':
      return `(${node.operands.map(print).join(node.kind === 'and' ? ' AND ' : ' OR ')})`
    case 'not':
      return `NOT ${print(node.operand)}`
    case 'in':
      return `${print(node.operand)} IN (${node.values.map((value) => printLiteral(value, dialect)).join(', ')})`
    case 'moment':
      return dialect.moment(print(node.operand), node.type)
    case 'bytes':
      return dialect.bytes(print(node.operand))
    case 'read':
      return dialect.read(print(node.operand), node.type)
    default:
      return printQueryExpression(node, dialect, print)
  }
}

/** On one line with a single branch, else a line for each. */
const printCase = (branches: readonly string[], otherwise: string): string =>
  branches.length === 1
    ? `CASE ${branches[0]} ${otherwise} END`
    : `CASE\n${[...branches, otherwise].map((line) => `    ${line}`).join('\n')}\n  END`

/**
 * The only function that prints literals. A boolean is 0 or 1 in both databases.
 *
 * A negative integer stands in parentheses: PostgreSQL reads `-9223372036854775808::BIGINT` as the negative of a number that is too
 * large.
 */
export const printLiteral = (value: string | bigint | boolean | null, dialect: DialectHooks): string => {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'bigint') return value < 0n ? `(${value})` : String(value)
  return dialect.text(value)
}
