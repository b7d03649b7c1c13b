/** What a failed proof tells: who holds what, since which step, and SQL that anybody can paste. */
import type { Dialect, SqlValue } from '../../src/index.ts'
import { type Contract, codecOf, renderSchema, renderSelect, renderUpsert, type Tuple, toRow } from '../../src/index.ts'
import type { Difference } from './compare.ts'
import { toJson } from './json.ts'

/** A quoted name, a quoted text, or a placeholder; only the last is replaced. */
const TOKENS = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)|\?/g

/** As both databases read it: quotes doubled, backslashes plain (standard_conforming_strings). The values come from the codec. */
const literal = (value: SqlValue): string => {
  if (value === null) return 'NULL'
  if (typeof value === 'bigint') return value < 0n ? `(${value})` : String(value) // `-1::BIGINT` is -(1::BIGINT), out of range at the end
  return `'${value.replaceAll("'", "''")}'`
}

/** A statement with its values in place of its placeholders. */
export const inline = (sql: string, params: readonly SqlValue[]): string => {
  let next = 0
  return sql.replaceAll(TOKENS, (token: string, position?: string) => {
    if (position !== undefined) return literal(params[Number(position) - 1] ?? null)
    return token === '?' ? literal(params[next++] ?? null) : token
  })
}

/** A script for psql or sqlite3 that plays the rows and shows the table, and leaves nothing behind. */
export const pasteableSql = (
  contract: Contract,
  dialect: Dialect,
  rows: readonly Tuple[],
  transform: (sql: string) => string = (sql) => sql,
): string => {
  const { encode } = codecOf(contract, dialect)
  const upsert = transform(renderUpsert(contract, dialect).sql)
  return [
    'BEGIN;',
    renderSchema(contract, dialect).trimEnd(),
    ...rows.map((row) => `${inline(upsert, encode(row))};`),
    `${renderSelect(contract, dialect).sql};`,
    'ROLLBACK;',
  ].join('\n')
}

export interface Told {
  readonly contract: Contract
  readonly history: readonly unknown[]
  /** The holders' names: who is right by definition, and who differs. */
  readonly truth: string
  readonly holder: string
  /** How many rows of the history had been played. */
  readonly steps: number
  readonly difference: Difference
  readonly sql: string
}

const show = (names: readonly string[], tuple: Tuple | undefined): string =>
  tuple === undefined ? 'no row' : toJson(toRow(names, tuple))

/** The story in the order a reader needs it: what differs, who holds what, how to get there. */
export const tell = ({ contract, history, truth, holder, steps, difference, sql }: Told): string => {
  const names = Object.keys(contract.columns)
  const { column, expected, actual } = difference
  const at = column === undefined ? -1 : names.indexOf(column)
  const value = (tuple: Tuple | undefined): string => toJson(tuple?.[at] ?? null)
  const rule = column === undefined ? undefined : contract.columns[column]?.rule
  return [
    `${holder} differs from the ${truth} after step ${steps} of ${history.length}.`,
    column === undefined
      ? 'One of them has a row more.'
      : `First column that differs: ${JSON.stringify(column)} (${toJson(rule)}): the ${truth} holds ${value(expected)}, ${holder} holds ${value(actual)}.`,
    `The row the ${truth} holds: ${show(names, expected)}`,
    `The row ${holder} holds: ${show(names, actual)}`,
    `Contract: ${JSON.stringify(contract)}`,
    'History:',
    ...history.map((row, step) => `  ${step + 1}. ${toJson(row)}`),
    `SQL for ${holder}:`,
    sql,
  ].join('\n')
}
