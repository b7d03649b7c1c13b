/** The same merge with Knex's own API, as its documentation of `onConflict().merge()` says. */
import knexOf, { type Knex } from 'knex'
import { rowOf } from '../by-hand.ts'
import type { BenchFrame } from '../frames.ts'

const LATEST = [
  ...'parent_tool_call_id subagent_type description agent_id child_session_id model agent_status'.split(' '),
  ...'total_tokens tool_use_count duration_ms'.split(' '),
]

/** Knex opens the file by itself, with the same settings. */
export const knexOver = (filename: string): Knex =>
  knexOf({
    client: 'better-sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: 1,
      afterCreate: (db: { pragma: (text: string) => unknown }, done: (error: unknown, db: unknown) => void) => {
        for (const setting of ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON']) db.pragma(setting)
        done(null, db)
      },
    },
  })

export const upsertWithKnex = async (db: Knex, frame: BenchFrame): Promise<void> => {
  await db('task_session_subagents')
    .insert(rowOf(frame))
    .onConflict(['task_session_id', 'agent_execution_id', 'tool_call_id'])
    .merge({
      ...Object.fromEntries(LATEST.map((name) => [name, db.raw(`coalesce(excluded.${name}, task_session_subagents.${name})`)])),
      turn_id: db.raw('coalesce(task_session_subagents.turn_id, excluded.turn_id)'),
      settled_at: db.raw('coalesce(task_session_subagents.settled_at, excluded.settled_at)'),
      tool_status: db.raw(
        'case when task_session_subagents.settled_at is not null then task_session_subagents.tool_status else coalesce(excluded.tool_status, task_session_subagents.tool_status) end',
      ),
      is_async: db.raw('max(task_session_subagents.is_async, excluded.is_async)'),
      updated_at: db.raw('max(task_session_subagents.updated_at, excluded.updated_at)'),
    })
}
