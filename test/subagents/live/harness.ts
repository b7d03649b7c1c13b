/** What the tests of the live path share: databases with the tables, frames, writers and raw reads. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { sqliteSession } from '../../../src/adapters/better-sqlite3.ts'
import { pgSession } from '../../../src/adapters/pg.ts'
import { run, type Session } from '../../../src/adapters/session.ts'
import {
  createWriter,
  initialise,
  insertSession,
  listBySession,
  type Recorded,
  type SubagentContext,
  subagentContexts,
  type Warning,
  type WriterOptions,
} from '../../../src/subagents/index.ts'
import { freshDatabase, type PostgresVersion } from '../../support/postgres.ts'

export type RawRow = Readonly<Record<string, unknown>>

/** One database with the tables of `initialise`, and the driver beside the session, to see what is really stored. */
export interface Place {
  readonly session: Session
  /** A second session on the same database, over a connection of its own. */
  readonly other: Session
  readonly raw: (sql: string) => Promise<readonly RawRow[]>
  readonly close: () => Promise<void>
}

export type OpenPlace = () => Promise<Place>

export const openSqlite: OpenPlace = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mergelaw-live-'))
  const connect = () => new Database(join(folder, 'live.db'))
  const [database, second] = [connect(), connect()]
  const session = sqliteSession(database)
  run(session, initialise('sqlite'))
  return {
    session,
    other: sqliteSession(second),
    raw: async (sql) => {
      const statement = database.prepare<[], RawRow>(sql)
      if (statement.reader) return statement.all()
      statement.run()
      return []
    },
    close: async () => {
      database.close()
      second.close()
      rmSync(folder, { recursive: true })
    },
  }
}

export const openPostgres =
  (version: PostgresVersion): OpenPlace =>
  async () => {
    const { url, drop } = await freshDatabase(version)
    const pools = [1, 2].map(() => new pg.Pool({ connectionString: url, max: 6 }))
    const [pool, second] = pools as [pg.Pool, pg.Pool]
    const session = pgSession(pool)
    await run(session, initialise('postgres'))
    return {
      session,
      other: pgSession(second),
      raw: async (sql) => (await pool.query<RawRow>(sql)).rows,
      close: async () => {
        await Promise.all(pools.map((each) => each.end()))
        await drop()
      },
    }
  }

type Fields = Readonly<Record<string, unknown>>

/** A frame as it arrives: `subagent` goes into `normalized.subagent_task`, the rest is the envelope. */
export const frameOf = ({ subagent = {}, ...envelope }: Fields & { readonly subagent?: unknown }): Fields => ({
  task_session_id: 'session',
  task_id: 'task',
  turn_id: 'turn',
  execution_id: 'execution',
  tool_call_id: 'call',
  parent_tool_call_id: '',
  status: 'pending',
  observed_at: '2026-08-03T15:32:20.000001Z',
  ...envelope,
  normalized: { kind: 'subagent_task', subagent_task: subagent },
})

/** One test's corner of a database: a session id of its own, a writer, and what it left. */
export const newCorner = async (place: Place, options: Partial<WriterOptions> = {}) => {
  const sessionId = `session-${randomUUID()}`
  await run(place.session, insertSession(place.session.dialect)({ id: sessionId, task_id: 'task' }))
  const warnings: Warning[] = []
  const writer = createWriter(place.session, {
    log: { warn: (fields) => void ('tool_call_id' in fields && warnings.push(fields)) },
    ...options,
  })
  const record = async (fields: Fields = {}): Promise<Recorded> =>
    writer.record(frameOf({ task_session_id: sessionId, ...fields }))
  const rows = async (): Promise<readonly SubagentContext[]> => listBySession(place.session, sessionId)
  const row = async (): Promise<SubagentContext> => {
    const [first, ...more] = await rows()
    if (first === undefined || more.length > 0) throw new Error(`expected one row, found ${more.length + (first ? 1 : 0)}`)
    return first
  }
  /** Every column as the database holds it, as text, so that nothing is rounded on the way. */
  const stored = (): Promise<readonly RawRow[]> => {
    const columns = Object.keys(subagentContexts.columns).map((name) => `CAST("${name}" AS TEXT) AS "${name}"`)
    return place.raw(
      `SELECT ${columns.join(', ')} FROM task_session_subagents WHERE task_session_id = '${sessionId}' ORDER BY agent_execution_id, tool_call_id`,
    )
  }
  return { sessionId, writer, warnings, record, rows, row, stored }
}
