/** Databases of a host application, for tests: its tables, our table in its former shapes, and a way to look at everything. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { pgSession } from '../../src/adapters/pg.ts'
import type { Dialect, Session } from '../../src/adapters/session.ts'
import { type FreshDatabase, freshDatabase, type PostgresVersion } from './postgres.ts'

/** One row as text, by position; null for NULL. */
export type TextRow = readonly (string | null)[]

export interface HostDatabase {
  /** For titles: `sqlite`, `postgres 18`. */
  readonly name: string
  readonly dialect: Dialect
  readonly session: Session
  /** Another session on another connection to the same database. */
  readonly another: () => Session
  /** For other processes. */
  readonly url: string
  /** Runs SQL text on a connection of the test's own, not the session's. */
  readonly exec: (sql: string) => Promise<void>
  readonly rows: (sql: string) => Promise<readonly TextRow[]>
  readonly close: () => Promise<void>
}

const asText = (value: unknown): string | null => (value === null ? null : String(value as string | number | bigint | Buffer))

/** A SQLite database in memory: one connection, on which every session stands. For tests of many runs. */
export const openSqliteMemory = async (): Promise<HostDatabase> => {
  const db = new Database(':memory:')
  return sqliteHost(
    db,
    ':memory:',
    () => sqliteSession(db),
    async () => void db.close(),
  )
}

const sqliteHost = (own: Database.Database, path: string, another: () => Session, close: () => Promise<void>): HostDatabase => ({
  name: 'sqlite',
  dialect: 'sqlite',
  session: another(),
  another,
  url: `sqlite:${path}`,
  exec: async (sql) => void own.exec(sql),
  rows: async (sql) =>
    own
      .prepare(sql)
      .safeIntegers(true)
      .raw(true)
      .all()
      .map((row) => (row as unknown[]).map(asText)),
  close,
})

/** A SQLite file of its own. */
export const openSqliteFile = async (): Promise<HostDatabase> => {
  const folder = mkdtempSync(join(tmpdir(), 'mergelaw-host-'))
  const path = join(folder, 'host.db')
  const opened: Database.Database[] = []
  const open = (): Database.Database => {
    const db = new Database(path)
    opened.push(db)
    return db
  }
  const own = open()
  const close = async (): Promise<void> => {
    for (const db of opened) db.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return sqliteHost(own, path, () => sqliteSession(open()), close)
}

/**
 * Opens PostgreSQL databases one after the other: each is empty, all are one database whose schema is made anew, since CREATE DATABASE
 * costs ten times as much. `drop` when all are closed.
 */
export const postgresDatabases = (version: PostgresVersion) => {
  let shared: Promise<Shared> | undefined
  const connect = async (): Promise<Shared> => {
    const database = await freshDatabase(version)
    return { database, own: newPool(database.url), session: newPool(database.url) }
  }
  const share = (): Promise<Shared> => {
    shared ??= connect()
    return shared
  }
  return {
    open: async (): Promise<HostDatabase> => {
      const host = postgresHost(version, await share())
      await host.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
      return host
    },
    drop: async (): Promise<void> => {
      if (shared === undefined) return
      const { database, own, session } = await shared
      await Promise.all([own.end(), session.end()])
      await database.drop()
    },
  }
}

interface Shared {
  readonly database: FreshDatabase
  readonly own: pg.Pool
  readonly session: pg.Pool
}

const newPool = (connectionString: string): pg.Pool => {
  const pool = new pg.Pool({ connectionString, max: 1 })
  pool.on('error', () => undefined) // an idle connection that breaks is the next query's error
  return pool
}

const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

const postgresHost = (version: PostgresVersion, { database: { url }, own, session }: Shared): HostDatabase => {
  const pools: pg.Pool[] = []
  return {
    name: `postgres ${version}`,
    dialect: 'postgres',
    session: pgSession(session),
    another: () => {
      const pool = newPool(url)
      pools.push(pool)
      return pgSession(pool)
    },
    url,
    exec: async (sql) => void (await own.query(sql)),
    rows: async (text) => (await own.query({ text, rowMode: 'array', types: AS_TEXT })).rows,
    close: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  }
}

/** Looks at a database that commands have made, by its URL. */
export const connectHost = async (url: string): Promise<{ readonly host: HostDatabase; readonly end: () => Promise<void> }> => {
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length)
    const db = new Database(path)
    const host = sqliteHost(
      db,
      path,
      () => sqliteSession(db),
      async () => void db.close(),
    )
    return { host, end: host.close }
  }
  const pool = newPool(url)
  const database = { url, drop: async () => undefined }
  return { host: postgresHost(18, { database, own: pool, session: pool }), end: () => pool.end() }
}

/** The host's tables as ../shared/spec/host-schema.md has them, with a column more, as a real host's. */
export const HOST_SCHEMA = `
CREATE TABLE task_sessions (id TEXT PRIMARY KEY, task_id TEXT NOT NULL DEFAULT '', state TEXT DEFAULT 'CREATED');
CREATE TABLE task_session_messages (
  id TEXT PRIMARY KEY, task_session_id TEXT NOT NULL, task_id TEXT DEFAULT '', turn_id TEXT NOT NULL,
  author_type TEXT NOT NULL DEFAULT 'user', author_id TEXT DEFAULT '', content TEXT NOT NULL, requests_input INTEGER DEFAULT 0,
  type TEXT NOT NULL DEFAULT 'message', metadata TEXT DEFAULT '{}', created_at TIMESTAMP NOT NULL,
  updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  FOREIGN KEY (task_session_id) REFERENCES task_sessions(id) ON DELETE CASCADE
);
CREATE TABLE kandev_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL DEFAULT '');
`

/** What a former table has beside the predecessor's own shape. */
export interface FormerShape {
  /** The execution column: not there (the predecessor), there but nullable, or as it should be. */
  readonly column?: 'missing' | 'nullable' | 'present'
  /** The two-column key: inline as in the predecessor, as a plain unique index, with its columns swapped, or gone. */
  readonly oldKey?: 'constraint' | 'index' | 'swapped' | 'gone'
  readonly newKey?: 'constraint' | 'index' | 'gone'
  /** Which of the indexes the predecessor's build had are missing. */
  readonly without?: readonly string[]
}

const FORMER_INDEXES: Readonly<Record<string, string>> = {
  idx_subagents_session_id: 'task_session_id',
  idx_subagents_task_id: 'task_id',
  idx_subagents_turn_id: 'turn_id',
}

/** Our table as a former build left it. */
export const formerTable = (shape: FormerShape = {}): string => {
  const { column = 'missing', oldKey = 'constraint', newKey = 'gone', without = [] } = shape
  const metric = 'INTEGER' // four bytes in PostgreSQL
  const execution = { missing: '', nullable: 'agent_execution_id TEXT,', present: 'agent_execution_id TEXT NOT NULL,' }[column]
  const constraints = [
    ...(oldKey === 'constraint' ? ['UNIQUE (task_session_id, tool_call_id)'] : []),
    ...(oldKey === 'swapped' ? ['UNIQUE (tool_call_id, task_session_id)'] : []),
    ...(newKey === 'constraint' ? ['UNIQUE (task_session_id, agent_execution_id, tool_call_id)'] : []),
    'FOREIGN KEY (task_session_id) REFERENCES task_sessions(id) ON DELETE CASCADE',
  ]
  const indexes = Object.entries(FORMER_INDEXES).filter(([name]) => !without.includes(name))
  return `
CREATE TABLE task_session_subagents (
  id TEXT PRIMARY KEY, task_session_id TEXT NOT NULL, task_id TEXT NOT NULL, turn_id TEXT, ${execution}
  tool_call_id TEXT NOT NULL, parent_tool_call_id TEXT, subagent_type TEXT, description TEXT, agent_id TEXT, child_session_id TEXT,
  model TEXT, agent_status TEXT, tool_status TEXT, is_async INTEGER NOT NULL DEFAULT 0, total_tokens ${metric}, tool_use_count ${metric},
  duration_ms ${metric}, source TEXT NOT NULL DEFAULT 'live', observed_at TIMESTAMP NOT NULL, settled_at TIMESTAMP,
  updated_at TIMESTAMP NOT NULL, ${constraints.join(', ')}
);
${indexes.map(([name, on]) => `CREATE INDEX ${name} ON task_session_subagents (${on});`).join('\n')}
${oldKey === 'index' ? 'CREATE UNIQUE INDEX former_key ON task_session_subagents (task_session_id, tool_call_id);' : ''}
${newKey === 'index' ? 'CREATE UNIQUE INDEX new_key ON task_session_subagents (task_session_id, agent_execution_id, tool_call_id);' : ''}
`
}

/** Rows of a former build, with every kind of value in them: NULL metrics, a reported zero, microseconds, whole seconds, non-ASCII. */
export const formerRows = (dialect: Dialect, { column = 'missing' }: FormerShape = {}): string => {
  const [name, value] = column === 'present' ? [', agent_execution_id', ", 'unknown'"] : ['', '']
  const at = (text: string): string => (dialect === 'sqlite' ? `'${text}+00:00'` : `'${text}'`)
  return `
INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1'), ('s2', 'k2');
INSERT INTO task_session_subagents (id, task_session_id, task_id, turn_id, tool_call_id, agent_status, tool_status, is_async, model,
  total_tokens, tool_use_count, duration_ms, observed_at, settled_at, updated_at${name}) VALUES
  ('r2', 's1', 'k1', 'u1', 't1', 'async_launched', 'completed', 1, 'modèle ✓', NULL, NULL, NULL, ${at('2026-08-03 15:32:20.123456')}, ${at('2026-08-03 15:32:21')}, ${at('2026-08-03 15:32:21')}${value}),
  ('r1', 's1', 'k1', NULL, 't2', 'completed', NULL, 0, NULL, 275717, 0, 1, ${at('2026-08-03 15:32:20.1')}, NULL, ${at('2026-08-03 15:32:20.1')}${value}),
  ('r3', 's2', 'k2', 'u2', 't1', NULL, 'pending', 0, '', 1, 2, 3, ${at('2026-08-04 00:00:00')}, NULL, ${at('2026-08-04 00:00:00')}${value});
`
}

/** A message that the backfill takes. */
export const message = (
  id: string,
  session: string,
  toolCallId: string,
  createdAt: string,
  extra: Readonly<Record<string, unknown>> = {},
): string => {
  const metadata = {
    tool_call_id: toolCallId,
    status: 'completed',
    normalized: { kind: 'subagent_task', subagent_task: { status: 'started' } },
    ...extra,
  }
  const text = JSON.stringify(metadata).replaceAll("'", "''")
  return `INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id, content, metadata, created_at, updated_at)
    VALUES ('${id}', '${session}', 'k', 'u', 'x', '${text}', '${createdAt}', '${createdAt}');`
}

/** Every row of our table, of the keys and of the host's tables, in an order of their own: what "unchanged" is compared by. */
export const dumpRows = async ({ rows, dialect }: HostDatabase): Promise<readonly (readonly TextRow[])[]> => {
  const quoted = dialect === 'sqlite'
  const dumps: (readonly TextRow[])[] = []
  for (const table of ['task_session_subagents', 'kandev_meta', 'task_sessions', 'task_session_messages']) {
    const columns = await rows(
      quoted
        ? `SELECT name FROM pragma_table_info('${table}')`
        : `SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('${table}') AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    )
    if (columns.length === 0) continue
    const list = columns.map(([name]) => (quoted ? `quote("${name}")` : `"${name}"::text`)).join(', ')
    dumps.push(await rows(`SELECT ${list} FROM ${table} ORDER BY 1`))
  }
  return dumps
}

/** The schema as its own database describes it: names and definitions of everything on our table. */
export const dumpSchema = async ({ rows, dialect }: HostDatabase): Promise<readonly TextRow[]> =>
  dialect === 'sqlite'
    ? rows(`SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name`)
    : rows(`SELECT 'column', attname, format_type(atttypid, atttypmod), attnotnull::text || coalesce(pg_get_expr(adbin, adrelid), '')
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = to_regclass('task_session_subagents') AND attnum > 0 AND NOT attisdropped
      UNION ALL SELECT 'index', indexname, tablename, indexdef FROM pg_indexes WHERE tablename IN ('task_session_subagents', 'task_sessions', 'task_session_messages')
      UNION ALL SELECT 'constraint', conname, contype::text, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid = to_regclass('task_session_subagents') AND contype <> 'n'
      ORDER BY 1, 2, 4`)

/** The keys as stored, by name. */
export const keysOf = async ({ rows }: HostDatabase): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await rows(`SELECT key, value FROM kandev_meta WHERE key LIKE 'subagent_context_%' ORDER BY key`)).map(([key, value]) => [
      key,
      value ?? '',
    ]),
  )
