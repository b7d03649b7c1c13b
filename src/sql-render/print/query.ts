import type { Except, Expression, InsertSelect, Query, Source, Stage, Unstage } from '../ast/index.ts'
import type { DialectHooks } from './dialect.ts'
import { type Parameters, printExpression } from './expression.ts'
import { quoteName } from './quote.ts'

const list = (items: readonly string[]): string => items.map((item) => `  ${item}`).join(',\n')

/** Prints a query; what it binds is collected in the order of the text. */
export const printQuery = (node: Query, dialect: DialectHooks, parameters: Parameters): string => {
  const print = (value: Expression): string => printExpression(value, dialect, parameters)
  const clause = (keyword: string, values: readonly Expression[], separator: string): readonly string[] =>
    values.length === 0 ? [] : [`${keyword} ${values.map(print).join(separator)}`]
  return [
    `SELECT\n${list(node.outputs.map(({ name, value }) => `${print(value)} AS ${quoteName(name)}`))}`,
    `FROM ${printSource(node.from, dialect, parameters)}`,
    ...clause('WHERE', node.where, '\n  AND '),
    ...clause('GROUP BY', node.groupBy, ', '),
    ...clause('ORDER BY', node.orderBy, ', '),
  ].join('\n')
}

const printExcept = (node: Query | Except, dialect: DialectHooks, parameters: Parameters): string =>
  node.kind === 'query'
    ? printQuery(node, dialect, parameters)
    : `${printQuery(node.left, dialect, parameters)}\nEXCEPT\n${printQuery(node.right, dialect, parameters)}`

const printSource = (node: Source, dialect: DialectHooks, parameters: Parameters): string => {
  switch (node.kind) {
    case 'table':
      return `${quoteName(node.table)} AS ${node.as}`
    case 'staged':
      return `${dialect.temporary}.${quoteName(node.name)} AS staged`
    case 'derived':
      // The alias is not optional: PostgreSQL before 16 rejects a subquery without one.
      return `(\n${printExcept(node.query, dialect, parameters)}\n) AS ${quoteName(node.as)}`
    case 'documents':
      return dialect.documents({
        ...node,
        columns: node.columns.map(({ name, value }) => ({ name, sql: printExpression(value, dialect, parameters) })),
        where: node.where.map((value) => printExpression(value, dialect, parameters)),
      })
  }
}

/** Statements that keep rows: in a temporary table, or in the target. */
export const printStaging = (node: Stage | Unstage | InsertSelect, dialect: DialectHooks, parameters: Parameters): string => {
  switch (node.kind) {
    case 'stage':
      return `CREATE TEMPORARY TABLE ${quoteName(node.name)} AS\n${printQuery(node.query, dialect, parameters)}`
    case 'unstage':
      return `DROP TABLE IF EXISTS ${dialect.temporary}.${quoteName(node.name)}`
    case 'insertSelect':
      return [
        `INSERT INTO ${quoteName(node.table)} (\n${list(node.columns.map(quoteName))}\n)`,
        printQuery(node.query, dialect, parameters),
        `ON CONFLICT (${node.conflict.map(quoteName).join(', ')}) DO NOTHING`,
      ].join('\n')
  }
}
