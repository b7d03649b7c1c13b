import { MergelawError } from '../../errors/index.ts'
import type { CreateIndex, CreateTable, ForeignKeyDefinition, Ordering, Output, Select, Statement, Upsert } from '../ast/index.ts'
import type { DialectHooks } from './dialect.ts'
import { type Parameters, printExpression, printLiteral } from './expression.ts'
import { printQuery, printStaging } from './query.ts'
import { quoteName } from './quote.ts'

/** A printed statement and what it binds, in order of its placeholders. */
export interface Printed {
  readonly sql: string
  readonly parameters: readonly string[]
}

/** Prints one statement for one dialect, without the final semicolon. */
export const printStatement = (statement: Statement, dialect: DialectHooks): Printed => {
  const parameters: Parameters = []
  return { sql: printNode(statement, dialect, parameters), parameters }
}

const printNode = (statement: Statement, dialect: DialectHooks, parameters: Parameters): string => {
  switch (statement.kind) {
    case 'createTable':
      return printCreateTable(statement, dialect)
    case 'createIndex':
      return printCreateIndex(statement)
    case 'upsert':
      return printUpsert(statement, dialect, parameters)
    case 'select':
      return printSelect(statement, dialect, parameters)
    case 'query':
      return printQuery(statement, dialect, parameters)
    case 'stage':
    case 'unstage':
    case 'insertSelect':
      return printStaging(statement, dialect, parameters)
  }
}

const names = (list: readonly string[]): string => list.map(quoteName).join(', ')
const lines = (list: readonly string[], separator = ','): string => list.map((line) => `  ${line}`).join(`${separator}\n`)

const ON_DELETE = { cascade: 'CASCADE', restrict: 'RESTRICT' } satisfies Record<ForeignKeyDefinition['onDelete'], string>

/** `extra`: declarations of columns that are none of the contract's, printed after its own. */
export const printCreateTable = (node: CreateTable, dialect: DialectHooks, extra: readonly string[] = []): string => {
  const columns = node.columns.map(({ name, type, nullable, default: initial }) =>
    [
      quoteName(name),
      dialect.typeName[type],
      ...(nullable ? [] : ['NOT NULL']),
      ...(initial === undefined ? [] : [`DEFAULT ${printLiteral(initial, dialect)}`]),
    ].join(' '),
  )
  const constraints = [
    `PRIMARY KEY (${names(node.primaryKey)})`,
    ...node.uniques.map((columns) => `UNIQUE (${names(columns)})`),
    ...node.foreignKeys.map(
      ({ columns, references, onDelete }) =>
        `FOREIGN KEY (${names(columns)}) REFERENCES ${quoteName(references.table)} (${names(references.columns)}) ON DELETE ${ON_DELETE[onDelete]}`,
    ),
  ]
  return `CREATE TABLE IF NOT EXISTS ${quoteName(node.table)} (\n${lines([...columns, ...extra, ...constraints])}\n)`
}

const printCreateIndex = (node: CreateIndex): string =>
  `CREATE INDEX IF NOT EXISTS ${quoteName(node.name)} ON ${quoteName(node.table)} (${names(node.columns)})`

/** RETURNING, or the SELECT list: a plain column needs no alias. */
const printOutput = (output: Output, dialect: DialectHooks, parameters: Parameters): string => {
  const value = printExpression(output.value, dialect, parameters)
  return `${value} AS ${quoteName(output.name)}`
}

const printArray = (value: Output['value'], dialect: DialectHooks, parameters: Parameters): string => {
  if (value.kind !== 'parameter' || dialect.arrayParameter === undefined) {
    throw new MergelawError('unsupported', 'This dialect cannot bind a column of many rows as one array.')
  }
  parameters.push(value.name)
  return dialect.arrayParameter(parameters.length, value.type)
}

const printUpsert = (node: Upsert, dialect: DialectHooks, parameters: Parameters): string => {
  const expression = (value: Output['value']): string => printExpression(value, dialect, parameters)
  const values = node.arrays ? node.values.map((value) => printArray(value, dialect, parameters)) : node.values.map(expression)
  const action =
    node.set.length === 0
      ? 'DO NOTHING'
      : `DO UPDATE SET\n${lines(node.set.map(({ name, value }) => `${quoteName(name)} = ${expression(value)}`))}`
  return [
    `INSERT INTO ${quoteName(node.table)} AS stored (\n${lines(node.columns.map(quoteName))}\n)`,
    node.arrays ? `SELECT * FROM UNNEST(\n${lines(values)}\n)` : `VALUES (\n${lines(values)}\n)`,
    `ON CONFLICT (${names(node.conflict)}) ${action}`,
    ...(node.returning.length === 0
      ? []
      : [`RETURNING\n${lines(node.returning.map((output) => printOutput(output, dialect, parameters)))}`]),
  ].join('\n')
}

const printSelect = (node: Select, dialect: DialectHooks, parameters: Parameters): string => {
  const expression = (value: Output['value']): string => printExpression(value, dialect, parameters)
  const outputs = node.outputs.map((output) => printOutput(output, dialect, parameters))
  // Divergence: PostgreSQL sorts NULL last, SQLite first. https://sqlite.org/lang_select.html#orderby
  const ordering = ({ value, nullable }: Ordering): string => `${expression(value)}${nullable ? ' NULLS FIRST' : ''}`
  return [
    `SELECT\n${lines(outputs)}`,
    `FROM ${quoteName(node.table)} AS stored`,
    ...(node.where.length === 0 ? [] : [`WHERE ${node.where.map(expression).join(' AND ')}`]),
    ...(node.orderBy.length === 0 ? [] : [`ORDER BY\n${lines(node.orderBy.map(ordering))}`]),
  ].join('\n')
}
