/** The same merge with Drizzle's own API, as its guide to upserts says. */
import type Database from 'better-sqlite3'
import { type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { rowOf } from '../by-hand.ts'
import type { BenchFrame } from '../frames.ts'

const table = sqliteTable('task_session_subagents', {
  id: text().primaryKey(),
  task_session_id: text().notNull(),
  task_id: text().notNull(),
  turn_id: text(),
  agent_execution_id: text().notNull(),
  tool_call_id: text().notNull(),
  parent_tool_call_id: text(),
  subagent_type: text(),
  description: text(),
  agent_id: text(),
  child_session_id: text(),
  model: text(),
  agent_status: text(),
  tool_status: text(),
  is_async: integer().notNull(),
  total_tokens: integer(),
  tool_use_count: integer(),
  duration_ms: integer(),
  source: text().notNull(),
  observed_at: text().notNull(),
  settled_at: text(),
  updated_at: text().notNull(),
})

const LATEST = [
  ...(['parent_tool_call_id', 'subagent_type', 'description', 'agent_id', 'child_session_id', 'model', 'agent_status'] as const),
  ...(['total_tokens', 'tool_use_count', 'duration_ms'] as const),
]
const incoming = (name: string): SQL => sql.raw(`excluded.${name}`)

export const drizzleOver = (database: Database.Database) => drizzle({ client: database })

export const upsertWithDrizzle = (db: ReturnType<typeof drizzleOver>, frame: BenchFrame): void => {
  db.insert(table)
    .values(rowOf(frame) as typeof table.$inferInsert)
    .onConflictDoUpdate({
      target: [table.task_session_id, table.agent_execution_id, table.tool_call_id],
      set: {
        ...Object.fromEntries(LATEST.map((name) => [name, sql`coalesce(${incoming(name)}, ${table[name]})`])),
        turn_id: sql`coalesce(${table.turn_id}, ${incoming('turn_id')})`,
        settled_at: sql`coalesce(${table.settled_at}, ${incoming('settled_at')})`,
        tool_status: sql`case when ${table.settled_at} is not null then ${table.tool_status} else coalesce(${incoming('tool_status')}, ${table.tool_status}) end`,
        is_async: sql`max(${table.is_async}, ${incoming('is_async')})`,
        updated_at: sql`max(${table.updated_at}, ${incoming('updated_at')})`,
      },
    })
    .run()
}
