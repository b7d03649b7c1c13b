import { type Program, query, type SqlRow } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { renderDuplicates } from '../sql-render/index.ts'
import { subagentContexts } from './contract.ts'
import { EXECUTION_COLUMN } from './end-state.ts'
import type { ObservedTable } from './observe.ts'
import { refusal } from './refusal.ts'
import { changeKey } from './upgrade-postgres.ts'
import { rebuild } from './upgrade-sqlite.ts'

const contract = subagentContexts

/**
 * Gives a table of the predecessor, or of any shape in between, the contract's key (AC-33). To be run inside a transaction that holds
 * the activation lock, with the table as observed under it: whatever fails, the rollback leaves the table whole (AC-33a).
 *
 * Every row keeps its values, byte for byte; `agent_execution_id` becomes `'unknown'` where there was none. Throws `constraint` for
 * rows that would share a key, `unsupported` for a table with parts that would be lost.
 */
export const upgradeKey = (dialect: Dialect): ((table: ObservedTable) => Program<void>) => {
  const change = dialect === 'sqlite' ? rebuild : changeKey
  return function* (table) {
    refuseForeignShape(table)
    yield* refuseDuplicates(dialect, table)
    yield* change(table)
  }
}

/** What is no predecessor of ours is nobody's to rewrite. */
const refuseForeignShape = (table: ObservedTable): void => {
  if (!table.isTable) throw refusal(table, 'it is no table', 'Move it out of the way; the next start creates the table.')
  const there = new Set(table.columns.map(({ name }) => name))
  const missing = Object.keys(contract.columns).filter((name) => name !== EXECUTION_COLUMN && !there.has(name))
  if (missing.length > 0) {
    throw refusal(table, `it has no column ${missing.join(', ')}`, 'Add what is missing, as sql/ shows it, and start again.')
  }
}

const MAX_NAMED = 5

/** Rows that would share a key are the operator's to sort out: which of them is right cannot be known here. */
function* refuseDuplicates(dialect: Dialect, table: ObservedTable): Program<void> {
  const missing = table.columns.some(({ name }) => name === EXECUTION_COLUMN) ? [] : [EXECUTION_COLUMN]
  const found = yield* query(
    'look for rows that share a key',
    renderDuplicates(contract, dialect, missing),
    [],
    describeDuplicate,
  )
  if (found.length === 0) return
  const more = found.length === MAX_NAMED ? ', and perhaps more' : ''
  throw new MergelawError(
    'constraint',
    `${contract.table} holds rows that would share the key (${contract.key.join(', ')}): ${found.join('; ')}${more}. Keep one row of each and start again.`,
    { details: { table: contract.table, duplicates: found } },
  )
}

const describeDuplicate = (row: SqlRow): string => {
  const values = row.slice(0, -1).map((value) => JSON.stringify(value))
  return `(${values.join(', ')}) ${String(row.at(-1))} times`
}
