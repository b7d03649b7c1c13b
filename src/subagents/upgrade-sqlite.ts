import { BrokenConnection, type Program, query, script } from '../adapters/program.ts'
import { MergelawError } from '../errors/index.ts'
import { FOREIGN_KEYS, type ForeignColumn, renderIndexes, renderRebuild } from '../sql-render/index.ts'
import { subagentContexts } from './contract.ts'
import { isPredecessorKey, isUnusableKey } from './end-state.ts'
import type { ObservedColumn, ObservedTable } from './observe.ts'
import { refuseWhatWouldBeLost } from './upgrade-losses.ts'

const contract = subagentContexts
const STAGE = 'mergelaw_upgrade'

/**
 * Makes the table anew, since SQLite cannot alter a table's constraints. Foreign keys must be off: see `withoutForeignKeys`.
 *
 * Triggers and indexes of the host are created again from their own text, after the rows are back, so that no trigger fires.
 */
export function* rebuild(table: ObservedTable): Program<void> {
  refuseWhatWouldBeLost(table)
  const columns = table.columns.map(({ name }) => name)
  const extra = table.columns.filter(({ name }) => !(name in contract.columns)).map(declarationOf)
  const { before, lost, after } = renderRebuild(contract, { columns, extra, stage: STAGE })
  for (const { name, sql } of before) yield* script(name, sql)
  const [missing] = yield* query('compare the rows', lost, [], ([count]) => String(count))
  if (missing !== '0') throw lostRows(missing)
  for (const { name, sql } of renderIndexes(contract, 'sqlite')) yield* script(name, sql)
  for (const { name, sql } of hostParts(table)) yield* script(`create ${name} again`, sql)
  for (const { name, sql } of after) yield* script(name, sql)
}

const declarationOf = ({ name, type, notNull, initial }: ObservedColumn): ForeignColumn => ({
  name,
  type,
  nullable: !notNull,
  initial,
})

/** The host's own indexes and triggers, by their text. */
const hostParts = (table: ObservedTable): readonly { readonly name: string; readonly sql: string }[] => {
  const ours = new Set(contract.indexes.map(({ name }) => name))
  const indexes = table.indexes.filter((index) => !ours.has(index.name) && !isPredecessorKey(index) && !isUnusableKey(index))
  return [...indexes, ...table.triggers].flatMap(({ name, sql }) => (sql === null ? [] : [{ name, sql }]))
}

const lostRows = (count: string | undefined): MergelawError =>
  new MergelawError(
    'unsupported',
    `${contract.table} cannot be upgraded: ${count} rows would not keep their values. Nothing was changed.`,
  )

function* areForeignKeysOn(): Program<boolean> {
  const [on] = yield* query('read foreign_keys', FOREIGN_KEYS.read, [], ([value]) => String(value) === '1')
  return on === true
}

/**
 * Runs a body, which begins its own transaction, with foreign keys off, and puts them back; inside a transaction SQLite ignores both.
 *
 * With them on, DROP TABLE would first delete all rows, with ON DELETE CASCADE to whatever refers to ours, and a row whose session is
 * gone already could not come back. https://sqlite.org/lang_altertable.html#otheralter
 */
export function* withoutForeignKeys<T>(body: () => Program<T>): Program<T> {
  if (!(yield* areForeignKeysOn())) return yield* body()
  try {
    yield* script('turn foreign keys off', FOREIGN_KEYS.off)
    return yield* body()
  } finally {
    yield* restoreForeignKeys()
  }
}

/** Tried twice: going on without foreign keys would be worse than any error. Inside a transaction SQLite ignores it, so it is read back. */
function* restoreForeignKeys(): Program<void> {
  let cause: unknown
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      yield* script('turn foreign keys on', FOREIGN_KEYS.on)
      if (yield* areForeignKeysOn()) return
    } catch (error) {
      cause = error
    }
  }
  throw new BrokenConnection('connection', 'Foreign keys could not be turned on again. Close this Database and open it anew.', {
    cause,
  })
}
