import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { transaction } from '../../src/adapters/program.ts'
import type { Program, Session } from '../../src/index.ts'
import { backfillSteps, healthSteps, initialise, insertSession, subagentContexts } from '../../src/subagents/index.ts'
import { insertKey } from '../../src/subagents/keys.ts'
import { withPostgres } from '../databases.ts'
import { sessions } from '../frames.ts'
import { type Measured, type Side, timed } from '../measure.ts'
import { APART, messages, START } from '../messages.ts'

export type Dialect = 'sqlite' | 'postgres'

const COLUMNS = [
  'id',
  'task_session_id',
  'task_id',
  'turn_id',
  'type',
  'content',
  'metadata',
  'created_at',
  'updated_at',
] as const

const isInstant = (name: string): boolean => name.endsWith('_at')

/** The folder of the message tables on SQLite, made once for a run of the benchmarks. */
const folder = (): string => process.env['MERGELAW_BENCH_FOLDER'] ?? '.'
const schemaOf = (count: number): string => `bench_messages_${count}`

/** Opens the table of `count` messages; it is filled the first time. */
const withMessages = <T>(dialect: Dialect, count: number, body: (session: Session) => Promise<T>): Promise<T> =>
  dialect === 'sqlite' ? withSqliteMessages(count, body) : withPostgresMessages(count, body)

const withSqliteMessages = async <T>(count: number, body: (session: Session) => Promise<T>): Promise<T> => {
  const file = join(folder(), `messages-${count}.db`)
  const isNew = !existsSync(file)
  const db = new Database(file)
  try {
    const session = sqliteSession(db)
    if (isNew) {
      session.run(initialise('sqlite'))
      for (const parent of sessions()) session.run(insertSession('sqlite')(parent))
      const insert = db.prepare(
        `INSERT INTO task_session_messages (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
      )
      db.transaction(() => {
        // Go writes an offset after the instant.
        for (const message of messages(count, sessions())) {
          insert.run(COLUMNS.map((name) => (isInstant(name) ? `${message[name]}+00:00` : message[name])))
        }
      })()
      db.exec('ANALYZE')
    }
    return await body(session)
  } finally {
    db.close()
  }
}

const ROWS_A_STATEMENT = 1_000

const withPostgresMessages = <T>(count: number, body: (session: Session) => Promise<T>): Promise<T> =>
  withPostgres(
    async (pool, session) => {
      const { rows } = await pool.query('SELECT 1 FROM task_session_messages LIMIT 1')
      if (rows.length === 0) {
        const text = `INSERT INTO task_session_messages (${COLUMNS.join(', ')}) SELECT * FROM unnest(${COLUMNS.map((name, at) => `$${at + 1}::${isInstant(name) ? 'timestamp' : 'text'}[]`).join(', ')})`
        let some: string[][] = COLUMNS.map(() => [])
        const flush = async (): Promise<void> => {
          await pool.query(text, some)
          some = COLUMNS.map(() => [])
        }
        for (const message of messages(count, sessions())) {
          for (const [at, name] of COLUMNS.entries()) some[at]?.push(message[name])
          if (some[0]?.length === ROWS_A_STATEMENT) await flush()
        }
        if (some[0]?.length !== 0) await flush()
        await pool.query('VACUUM ANALYZE task_session_messages')
      }
      return body(session)
    },
    schemaOf(count),
    true,
  )

function* statement(name: string, sql: string): Program<unknown> {
  return (yield { kind: 'query', name, sql, params: [], prepare: false }).rows
}
function* script(name: string, sql: string): Program<void> {
  yield { kind: 'script', name, sql }
}

const emptied = `DELETE FROM ${subagentContexts.table}; DELETE FROM kandev_meta`

/** Times one program on the table, whose pages have been read before. */
const once =
  (dialect: Dialect, count: number, program: () => Program<unknown>): Side =>
  () =>
    withMessages(dialect, count, async (session): Promise<Measured> => {
      await session.run(script('empty', emptied))
      await session.run(statement('warm', SCAN))
      return timed(1, () => session.run(program()))
    })

const SCAN = "SELECT count(*) FROM task_session_messages WHERE metadata LIKE '%subagent_task%'"

/** The backfill with its keys, in one transaction, as activation runs it. */
export const backfill = (dialect: Dialect, count: number): Side => {
  const steps = backfillSteps(dialect)
  const key = insertKey(dialect)
  return once(dialect, count, () =>
    transaction('backfill', function* () {
      const { through } = yield* steps()
      yield* key('backfillThrough', through)
      yield* key('captureSince', '2026-08-04T00:00:00.000000000Z')
    }),
  )
}

export const scan = (dialect: Dialect, count: number): Side => once(dialect, count, () => statement('scan', SCAN))

/** The spec's own way of reading one field: the whole text is cast for each. */
const field = (...path: readonly string[]): string => `NULLIF(metadata::jsonb #>> '{${path.join(',')}}', '')`
const taskText = (name: string): string => field('normalized', 'subagent_task', name)
const taskNumber = (name: string): string => `NULLIF((${taskText(name)})::bigint, 0)`

/** What one writes first: AC-21's predicate as the spec prints it, and a cast for every column. */
export const naiveBackfill = (count: number): Side =>
  once('postgres', count, () =>
    script(
      'naive',
      `INSERT INTO ${subagentContexts.table} (id, task_session_id, task_id, turn_id, agent_execution_id, tool_call_id, parent_tool_call_id, subagent_type,
         description, agent_id, child_session_id, model, agent_status, tool_status, is_async, total_tokens, tool_use_count, duration_ms, source, observed_at,
         settled_at, updated_at)
       SELECT GEN_RANDOM_UUID()::TEXT, task_session_id, task_id, NULLIF(turn_id, ''), 'unknown', ${field('tool_call_id')}, ${field('parent_tool_call_id')}, ${taskText('subagent_type')}, ${taskText('description')},
         ${taskText('agent_id')}, ${taskText('child_session_id')}, ${taskText('model')}, ${taskText('status')}, ${field('status')},
         COALESCE((${taskText('is_async')})::boolean, false)::int, ${taskNumber('total_tokens')}, (${taskText('tool_use_count')})::bigint,
         ${taskNumber('duration_ms')}, 'backfill', created_at,
         CASE WHEN ${field('status')} IN ('complete', 'completed', 'success', 'error', 'failed', 'cancelled') THEN COALESCE(updated_at, created_at) END,
         COALESCE(updated_at, created_at)
       FROM task_session_messages
       WHERE metadata::jsonb #>> '{normalized,kind}' = 'subagent_task'
       ON CONFLICT DO NOTHING`,
    ),
  )

/** Health over the newest `window` messages; the rows are there, as a healthy writer leaves them. */
export const healthOver =
  (dialect: Dialect, count: number, window: number): Side =>
  () =>
    withMessages(dialect, count, async (session): Promise<Measured> => {
      const run = async <T>(program: Program<T>): Promise<T> => session.run(program)
      const since = new Date(START + (count - window) * APART * 1_000).toISOString().replace('Z', '000000Z')
      await run(script('empty', emptied))
      await run(transaction('backfill', backfillSteps(dialect)))
      await run(insertKey(dialect)('captureSince', since))
      await run(script('analyse', dialect === 'sqlite' ? 'ANALYZE' : `ANALYZE ${subagentContexts.table}`))
      await run(healthSteps(dialect))
      const report = await run(healthSteps(dialect))
      if (report.state !== 'healthy')
        throw new Error(
          `health says ${JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? Number(value) : value))}`,
        )
      return timed(1, () => run(healthSteps(dialect)))
    })

/** Fills a table, so that no trial has to. */
export const fill =
  (dialect: Dialect, count: number): Side =>
  () =>
    withMessages(dialect, count, async () => ({ seconds: 0, amount: 1 }))
