import { describe, expect, it } from 'vitest'
import type { SyncSession } from '../../src/adapters/session.ts'
import { createWriter, listBySession } from '../../src/subagents/index.ts'
import { frameOf, newCorner, openSqlite } from './live/harness.ts'
import { livePath } from './live/index.ts'

livePath('SQLite', openSqlite)

describe('the live path, SQLite alone', () => {
  it('AC-27: a synchronous session answers at once, and a failed write leaves the transaction of the host alone', async () => {
    const place = await openSqlite()
    const { sessionId } = await newCorner(place)
    await place.raw('BEGIN')
    await place.raw(`UPDATE task_sessions SET task_id = 'the product path' WHERE id = '${sessionId}'`)
    const writer = createWriter(place.session as SyncSession, { log: { warn: () => undefined } })
    const { outcome } = writer.record(frameOf({ task_session_id: 'nobody' })) // no await: the value itself
    await place.raw('COMMIT')
    const [row] = await place.raw(`SELECT task_id FROM task_sessions WHERE id = '${sessionId}'`)
    expect([outcome, row?.['task_id']]).toEqual(['failed', 'the product path'])
    await place.close()
  })

  it('AC-27: a database that was closed is a failed write', async () => {
    const place = await openSqlite()
    const { record, warnings } = await newCorner(place)
    await place.close()
    expect(await record()).toMatchObject({ outcome: 'failed' })
    expect(warnings).toHaveLength(1)
  })

  it('AC-13: rows that another program stored in another spelling of an instant are read in order', async () => {
    const place = await openSqlite()
    const { sessionId, record } = await newCorner(place)
    const spellings = {
      first: '2026-07-30T01:39:37Z',
      second: '2026-07-30 01:39:37.2+00:00',
      third: '2026-07-30 03:39:38.000001+02:00',
      fourth: '2026-07-30 01:39:39.123456789+00:00',
    }
    for (const [tool_call_id, spelling] of Object.entries(spellings).reverse()) {
      await record({ tool_call_id })
      await place.raw(`UPDATE task_session_subagents SET observed_at = '${spelling}' WHERE tool_call_id = '${tool_call_id}'`)
    }
    const read = await listBySession(place.session, sessionId)
    expect(read.map((row) => [row.tool_call_id, row.observed_at])).toEqual([
      ['first', '2026-07-30T01:39:37.000000Z'],
      ['second', '2026-07-30T01:39:37.200000Z'],
      ['third', '2026-07-30T01:39:38.000001Z'],
      ['fourth', '2026-07-30T01:39:39.123456Z'],
    ])
    await place.close()
  })
})
