/** The reference store's messages, in a shape like the spec's: 253 subagents among 653 messages of 38 sessions. */
import { readFileSync } from 'node:fs'
import { type Program, runMany } from '../../src/adapters/program.ts'
import { run } from '../../src/adapters/session.ts'
import type { HostDatabase } from './host-database.ts'

type Line = Readonly<Record<string, string | null>>

const linesOf = (name: string): readonly Line[] =>
  readFileSync(new URL(`../../examples/${name}.ndjson`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Inserts them all, sessions first. */
export const referenceMessages = async ({ session, dialect }: Pick<HostDatabase, 'session' | 'dialect'>): Promise<void> => {
  function* insert(table: string, columns: readonly string[], lines: readonly Line[]): Program<void> {
    const places = columns.map((_, at) => (dialect === 'sqlite' ? '?' : `$${at + 1}`))
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`
    yield* runMany(
      `load ${table}`,
      sql,
      lines.map((line) => columns.map((name) => line[name] ?? null)),
    )
  }
  await run(session, insert('task_sessions', ['id', 'task_id'], linesOf('sessions')))
  const columns = ['id', 'task_session_id', 'task_id', 'turn_id', 'content', 'metadata', 'created_at', 'updated_at']
  await run(session, insert('task_session_messages', columns, linesOf('messages')))
}
