/** One history of messages, backfilled on real databases and by the model; the rows, the counts and the high-water mark must agree. */
import { expect } from 'vitest'
import { query, runMany, script } from '../../src/adapters/program.ts'
import { type Program, type Session, type Tuple, tableOf, toRow } from '../../src/index.ts'
import { backfillOf, backfillSteps, type Message, subagentContexts } from '../../src/subagents/index.ts'
import { messageOn, SESSIONS, type StoredMessage } from '../arbitraries/messages.ts'
import { type LiveDatabase, rolledBack } from './databases.ts'

/** The host's tables as a database may have them whose rows were written with constraints off, or by older programs. */
const LENIENT_HOST = `
CREATE TABLE task_sessions (id TEXT PRIMARY KEY, task_id TEXT NOT NULL DEFAULT '');
CREATE TABLE task_session_messages (id TEXT PRIMARY KEY, task_session_id TEXT, task_id TEXT DEFAULT '', turn_id TEXT,
  metadata TEXT DEFAULT '{}', created_at TIMESTAMP, updated_at TIMESTAMP);
CREATE TABLE kandev_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL DEFAULT '');
CREATE INDEX idx_messages_created_at ON task_session_messages (created_at);
`

export function* createLenientHost(session: Session): Program<void> {
  yield* script('create host', LENIENT_HOST)
  yield* tableOf(subagentContexts, session.dialect).create()
  yield* runMany(
    'insert sessions',
    `INSERT INTO task_sessions (id) VALUES (${session.dialect === 'sqlite' ? '?' : '$1'})`,
    SESSIONS.map((id) => [id]),
  )
}

const COLUMNS = ['id', 'task_session_id', 'task_id', 'turn_id', 'metadata', 'created_at', 'updated_at'] as const

export function* insertMessages(session: Session, messages: readonly Message[]): Program<void> {
  const places = COLUMNS.map((_, at) => (session.dialect === 'sqlite' ? '?' : `$${at + 1}`))
  yield* runMany(
    'insert messages',
    `INSERT INTO task_session_messages (${COLUMNS.join(', ')}) VALUES (${places.join(', ')})`,
    messages.map((message) => COLUMNS.map((name) => message[name] ?? null)),
  )
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A row without its random id, which only has to be one. */
const withoutId = (tuple: Tuple, check: boolean): Readonly<Record<string, unknown>> => {
  const { id, ...rest } = toRow(Object.keys(subagentContexts.columns), tuple)
  if (check) expect(id).toMatch(UUID)
  return rest
}

const byKey = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
const keyOf = (row: Readonly<Record<string, unknown>>): string => JSON.stringify([row['task_session_id'], row['tool_call_id']])

/** The same on several. */
export const compareBackfills = async (databases: readonly LiveDatabase[], stored: readonly StoredMessage[]): Promise<void> => {
  for (const database of databases) await compareBackfill(database, stored)
}

/** Backfills on one database and compares with the model; leaves nothing behind. */
export const compareBackfill = async ({ name, session }: LiveDatabase, stored: readonly StoredMessage[]): Promise<void> => {
  const messages = stored.map((message) => messageOn(message, session.dialect))
  const model = backfillOf(messages, (id) => (SESSIONS as readonly string[]).includes(id))
  const outcome = await session.run(
    rolledBack('compare', function* () {
      yield* insertMessages(session, messages)
      const report = yield* backfillSteps(session.dialect)()
      const rows = yield* tableOf(subagentContexts, session.dialect).list()
      const again = yield* backfillSteps(session.dialect)()
      const leftOver = yield* query('left over', LEFT_OVER[session.dialect], [], (row) => String(row[0]))
      return { report, rows, again, leftOver }
    }),
  )
  const { through, skipped, ...counts } = outcome.report
  expect(byKey(outcome.rows.map((row) => withoutId(row, true))), name).toEqual(
    byKey(model.rows.map((row) => withoutId(row, false))),
  )
  expect({ ...counts, skipped: nonZero(skipped), through }, name).toEqual({
    scanned: messages.length,
    candidates: model.candidates,
    qualifying: model.qualifying,
    inserted: model.rows.length,
    alreadyPresent: 0,
    skipped: model.skipped,
    through: model.through === undefined ? '' : `${model.through.slice(0, -1)}000Z`,
  })
  expect(outcome.again, name).toEqual({ ...outcome.report, inserted: 0, alreadyPresent: model.rows.length })
  expect(outcome.leftOver, name).toEqual([])
}

const nonZero = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

const LEFT_OVER = {
  sqlite: 'SELECT name FROM sqlite_temp_master',
  postgres: "SELECT relname FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'",
} as const
