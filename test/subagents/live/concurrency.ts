import { expect, it } from 'vitest'
import type { Step } from '../../../src/adapters/program.ts'
import { createWriter } from '../../../src/subagents/index.ts'
import { watching } from '../../support/stepping.ts'
import { frameOf, newCorner, type Place } from './harness.ts'

const T = (second: number): string => `2026-08-03T15:32:${String(second).padStart(2, '0')}.000001Z`
const log = { warn: () => undefined }

/** AC-14 to AC-16: many frames at once, and the end of a session. */
export const concurrencyTests = (place: () => Place): void => {
  it('AC-14: a frame is one statement, an upsert on the three key columns, and nothing is read before it', async () => {
    const { sessionId } = await newCorner(place())
    const steps: Step[] = []
    const writer = createWriter(
      watching(place().session, (step) => void steps.push(step)),
      { log },
    )
    await writer.record(frameOf({ task_session_id: sessionId }))
    await writer.record(frameOf({ task_session_id: sessionId, status: 'completed' }))
    expect(steps).toHaveLength(2)
    for (const step of steps) {
      expect(step).toMatchObject({ kind: 'query' })
      const sql = 'sql' in step ? step.sql : ''
      expect(sql).toMatch(/^INSERT INTO "task_session_subagents"/)
      expect(sql).toContain('ON CONFLICT ("task_session_id", "agent_execution_id", "tool_call_id")')
      expect(sql).not.toMatch(/SELECT/i)
    }
  })

  it('AC-14: concurrent frames of one key leave one row and keep what order cannot change', async () => {
    const { sessionId, rows } = await newCorner(place())
    const writers = [place().session, place().other].map((session) => createWriter(session, { log }))
    const statuses = ['pending', 'in_progress', 'completed', 'in_progress', 'failed', 'pending']
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const subagent = { model: at % 3 === 0 ? 'opus' : '', is_async: at === 7, total_tokens: at % 4 === 0 ? 500 : 0 }
        const status = statuses[at % statuses.length]
        return writers[at % 2]?.record(frameOf({ task_session_id: sessionId, status, observed_at: T(at), subagent }))
      }),
    )
    expect(outcomes.map((outcome) => outcome?.outcome)).toEqual(outcomes.map(() => 'persisted'))
    const [row, ...more] = await rows()
    expect(more).toEqual([])
    expect(row).toMatchObject({
      model: 'opus',
      is_async: true,
      total_tokens: 500n,
      turn_id: 'turn',
      updated_at: T(23),
      source: 'live',
    })
    expect(['completed', 'failed']).toContain(row?.tool_status)
    expect(row?.settled_at).not.toBeNull()
  })

  it.each([3, 4, 5, 8])(
    'AC-15: a %i-way fan-out, and the same tool call of another execution, are all written',
    async (width) => {
      const { sessionId, rows } = await newCorner(place())
      const writers = [place().session, place().other].map((session) => createWriter(session, { log }))
      const keys = [
        ...Array.from({ length: width }, (_, at) => ({ tool_call_id: `call ${at}`, execution_id: 'execution' })),
        { tool_call_id: 'call 0', execution_id: 'another execution' },
      ]
      await Promise.all(
        keys.map(async (key, at) =>
          writers[at % 2]?.record(frameOf({ task_session_id: sessionId, ...key, subagent: { model: `model ${at}` } })),
        ),
      )
      const read = (await rows()).map((row) => `${row.tool_call_id}/${row.agent_execution_id}/${row.model}`).sort()
      expect(read).toEqual(keys.map((key, at) => `${key.tool_call_id}/${key.execution_id}/model ${at}`).sort())
    },
  )

  it('AC-16: deleting the parent session removes its rows and no others', async () => {
    const [gone, kept] = [await newCorner(place()), await newCorner(place())]
    await gone.record()
    await kept.record()
    await place().raw(`DELETE FROM task_sessions WHERE id = '${gone.sessionId}'`)
    expect([await gone.rows(), (await kept.rows()).length]).toEqual([[], 1])
  })
}
