import { isLeft } from 'fp-ts/lib/Either.js'
import { type Program, query, script, transaction } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { tableOf } from '../engine/index.ts'
import { takeLock } from '../engine/lock.ts'
import { MergelawError } from '../errors/index.ts'
import { compileNormalise, defineContract, key, writeOnce } from '../rules/index.ts'
import { subagentContexts } from './contract.ts'
import { contextTable } from './table.ts'

/** The part of the host's `task_sessions` that this library needs: a parent to point at. Existing rows are never changed. */
export const taskSessions = defineContract({
  table: 'task_sessions',
  key: ['id'],
  columns: {
    id: { type: 'text', rule: key() },
    task_id: { type: 'text', absent: [], default: '', rule: writeOnce() },
  },
})

/**
 * The host's tables in their smallest form, the same text on both databases. They are the host's: created where they are missing, so
 * that everything works without a host application, and never altered. Fixed text, since a contract describes tables that merge.
 */
const HOST_TABLES: Readonly<Record<string, readonly string[]>> = {
  task_sessions: ['CREATE TABLE task_sessions (', "  id TEXT PRIMARY KEY, task_id TEXT NOT NULL DEFAULT ''", ');'],
  task_session_messages: [
    'CREATE TABLE task_session_messages (',
    '  id TEXT PRIMARY KEY,',
    '  task_session_id TEXT NOT NULL,',
    "  task_id TEXT DEFAULT '',",
    '  turn_id TEXT NOT NULL,',
    "  author_type TEXT NOT NULL DEFAULT 'user',",
    "  author_id TEXT DEFAULT '',",
    '  content TEXT NOT NULL,',
    '  requests_input INTEGER DEFAULT 0,',
    "  type TEXT NOT NULL DEFAULT 'message',",
    "  metadata TEXT DEFAULT '{}',",
    '  created_at TIMESTAMP NOT NULL,',
    '  updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,',
    '  FOREIGN KEY (task_session_id) REFERENCES task_sessions(id) ON DELETE CASCADE',
    ');',
    'CREATE INDEX idx_messages_created_at ON task_session_messages (created_at);',
  ],
  kandev_meta: ['CREATE TABLE kandev_meta (', "  key TEXT PRIMARY KEY, value TEXT NOT NULL DEFAULT ''", ');'],
}

/** What `initialise` did to each table it looked at. */
export interface Initialised {
  readonly created: readonly string[]
  readonly existing: readonly string[]
}

/**
 * Creates the contract's table, and the host's tables where they are missing, in one transaction. Running it again changes nothing; any
 * number of processes may do it at once.
 *
 * SQL: `CREATE TABLE`, `CREATE INDEX`.
 */
export const initialise = (dialect: Dialect): Program<Initialised> =>
  transaction('init', function* () {
    const { created, existing } = yield* createHostTables(dialect)
    const there = yield* tableExists(dialect, subagentContexts.table)
    // Its script also adds an index that is missing.
    yield* contextTable(dialect).create()
    const ours = [subagentContexts.table]
    return { created: there ? created : [...created, ...ours], existing: there ? [...existing, ...ours] : existing }
  })

/**
 * Creates the host's tables where they are missing, in one transaction, so that a history can be loaded without a host application.
 *
 * SQL: `CREATE TABLE`, `CREATE INDEX`.
 */
export const initialiseHost = (dialect: Dialect): Program<Initialised> =>
  transaction('init host', () => createHostTables(dialect))

function* createHostTables(dialect: Dialect): Program<Initialised> {
  yield* takeLock(dialect)
  const created: string[] = []
  const existing: string[] = []
  for (const [table, lines] of Object.entries(HOST_TABLES)) {
    const there = yield* tableExists(dialect, table)
    if (!there) yield* script(`create ${table}`, lines.join('\n'))
    ;(there ? existing : created).push(table)
  }
  return { created, existing }
}

/** Divergence: each database keeps its catalogue elsewhere. `to_regclass` follows the search path, as the statements do. */
const EXISTS: Readonly<Record<Dialect, string>> = {
  sqlite: "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?)",
  postgres: 'SELECT 1 WHERE to_regclass($1::text) IS NOT NULL',
}

function* tableExists(dialect: Dialect, table: string): Program<boolean> {
  const rows = yield* query(`look for ${table}`, EXISTS[dialect], [table], () => true)
  return rows.length > 0
}

const normaliseSession = compileNormalise(taskSessions)

/** Inserts a parent session; an existing one is left as it is. SQL: `INSERT … ON CONFLICT … DO NOTHING`. */
export const insertSession = (
  dialect: Dialect,
): ((session: { readonly id: string; readonly task_id: string }) => Program<void>) => {
  const table = tableOf(taskSessions, dialect)
  return (session) => {
    const normalised = normaliseSession(session)
    if (isLeft(normalised)) throw new MergelawError('row', normalised.left.map(({ message }) => message).join('; '))
    return table.upsert(normalised.right.tuple)
  }
}
