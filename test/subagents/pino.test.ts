import Database from 'better-sqlite3'
import pino from 'pino'
import { expect, it } from 'vitest'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { createWriter } from '../../src/subagents/index.ts'

// Catches: a log port that a real logger does not fit, or fields that it would not print.
it('AC-27: a pino logger fits, and its line names session, tool call and reason', () => {
  const lines: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) })
  const writer = createWriter(sqliteSession(new Database(':memory:')), { log })
  const frame = { task_session_id: 's', task_id: 't', tool_call_id: 'c', normalized: { kind: 'subagent_task' } }
  expect(writer.record(frame)).toMatchObject({ outcome: 'failed' })
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 40, task_session_id: 's', tool_call_id: 'c', code: 'missing-table' }),
  ])
})
