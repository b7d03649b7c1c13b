/** What a document of many escapes costs on SQLite, whose own JSON functions leave lone surrogates in. */
import { afterEach, describe, expect, it } from 'vitest'
import { activate } from '../../src/subagents/index.ts'
import { HOST_SCHEMA, type HostDatabase, openSqliteMemory } from '../support/host-database.ts'

const opened: HostDatabase[] = []
afterEach(async () => void (await Promise.all(opened.splice(0).map(({ close }) => close()))))

/** The best of three backfills of one message whose document holds so many of these escapes, in milliseconds. */
const backfillOf = async (escapes: string, times: number): Promise<number> => {
  const document = `{"tool_call_id":"c","normalized":{"kind":"subagent_task"},"output":"${escapes.repeat(times)}"}`
  const took: number[] = []
  for (let round = 0; round < 3; round++) {
    const host = await openSqliteMemory()
    opened.push(host)
    await host.exec(`${HOST_SCHEMA}; INSERT INTO task_sessions (id, task_id) VALUES ('s', 'k');
      INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id, content, metadata, created_at)
      VALUES ('m', 's', 'k', 'u', '', '${document}', '2026-07-30 01:39:37')`)
    const start = performance.now()
    await activate(host.session, { log: { warn: (fields) => expect.unreachable(fields.error) } })
    took.push(performance.now() - start)
    expect(await host.rows('SELECT tool_call_id FROM task_session_subagents')).toEqual([['c']])
  }
  return Math.min(...took)
}

describe('AC-23b: the cost of a document follows its length', () => {
  // Catches: a text that is copied whole once for each escape, which makes eight times the escapes cost sixty-four times as much.
  it.each([
    ['pairs, as a writer that escapes all but ASCII has them', '\\ud83d\\ude00 some text '],
    ['lone halves', '\\ud83d some text '],
  ])('AC-23b: eight times as many %s cost no thirty times as much', { timeout: 120_000 }, async (_, escapes) => {
    const [few, many] = [await backfillOf(escapes, 4_000), await backfillOf(escapes, 32_000)]
    expect(many / few).toBeLessThan(30)
  })
})
