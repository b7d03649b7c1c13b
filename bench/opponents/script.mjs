// What one writes in ten minutes: `node script.mjs DATABASE FRAMES UPSERT.sql`, one transaction, one prepared statement.
import { randomUUID } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'

const [database, file, sql] = process.argv.slice(2)
const db = new Database(database)
for (const setting of ['journal_mode = WAL', 'synchronous = NORMAL', 'foreign_keys = ON']) db.pragma(setting)
const upsert = db.prepare(readFileSync(sql, 'utf8'))
const TERMINAL = new Set(['complete', 'completed', 'success', 'error', 'failed', 'cancelled'])
const present = (text) => (text === '' ? null : text)
const positive = (value) => (value > 0 ? value : null)
const bind = (frame) => {
  const task = frame.normalized.subagent_task
  const at = `${frame.observed_at.slice(0, 10)} ${frame.observed_at.slice(11, -1)}+00:00`
  return [
    randomUUID(),
    frame.task_session_id,
    frame.task_id,
    present(frame.turn_id),
    present(frame.execution_id) ?? 'unknown',
    frame.tool_call_id,
    present(frame.parent_tool_call_id),
    present(task.subagent_type),
    present(task.description),
    present(task.agent_id),
    present(task.child_session_id),
    present(task.model),
    present(task.status),
    present(frame.status),
    task.is_async ? 1 : 0,
    positive(task.total_tokens),
    task.tool_use_count ?? null,
    positive(task.duration_ms),
    'live',
    at,
    TERMINAL.has(frame.status) ? at : null,
    at,
  ]
}
db.exec('BEGIN IMMEDIATE')
for await (const line of createInterface({ input: createReadStream(file) })) if (line !== '') upsert.run(bind(JSON.parse(line)))
db.exec('COMMIT')
db.close()
