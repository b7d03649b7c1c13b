import type { Dialect } from '../adapters/session.ts'
import { type Table, tableOf } from '../engine/index.ts'
import { subagentContexts } from './contract.ts'

const tables = new Map<Dialect, Table>()

/** The first contract's table on one database; rendered once per dialect. */
export const contextTable = (dialect: Dialect): Table => {
  const known = tables.get(dialect)
  if (known !== undefined) return known
  const table = tableOf(subagentContexts, dialect)
  tables.set(dialect, table)
  return table
}
