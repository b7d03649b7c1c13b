/** The same merge with Kysely's own API, as its documentation of `onConflict` says. */
import type Database from 'better-sqlite3'
import { type ColumnType, Kysely, SqliteDialect, sql } from 'kysely'
import { rowOf } from '../by-hand.ts'
import type { BenchFrame } from '../frames.ts'

type Row = Record<string, ColumnType<string | number | null>>
interface Tables {
  task_session_subagents: Row
}

const LATEST = 'parent_tool_call_id subagent_type description agent_id child_session_id model agent_status'.split(' ')
const METRICS = 'total_tokens tool_use_count duration_ms'.split(' ')

export const kyselyOver = (database: Database.Database): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })

export const upsertWithKysely = async (db: Kysely<Tables>, frame: BenchFrame): Promise<void> => {
  await db
    .insertInto('task_session_subagents')
    .values(rowOf(frame))
    .onConflict((conflict) =>
      conflict.columns(['task_session_id', 'agent_execution_id', 'tool_call_id']).doUpdateSet((eb) => ({
        ...Object.fromEntries(
          [...LATEST, ...METRICS].map((name) => [name, eb.fn.coalesce(`excluded.${name}`, `task_session_subagents.${name}`)]),
        ),
        turn_id: eb.fn.coalesce('task_session_subagents.turn_id', 'excluded.turn_id'),
        settled_at: eb.fn.coalesce('task_session_subagents.settled_at', 'excluded.settled_at'),
        tool_status: eb
          .case()
          .when('task_session_subagents.settled_at', 'is not', null)
          .then(eb.ref('task_session_subagents.tool_status'))
          .else(eb.fn.coalesce('excluded.tool_status', 'task_session_subagents.tool_status'))
          .end(),
        is_async: sql<number>`max(task_session_subagents.is_async, excluded.is_async)`,
        updated_at: sql<string>`max(task_session_subagents.updated_at, excluded.updated_at)`,
      })),
    )
    .execute()
}
