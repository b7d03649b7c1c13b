import { expect, it } from 'vitest'
import { newCorner, type Place } from './harness.ts'

const T = (second: number): string => `2026-08-03T15:32:${String(second).padStart(2, '0')}.000001Z`

/** AC-30 to AC-32: the execution is part of the identity. */
export const identityTests = (place: () => Place): void => {
  it('AC-30: a reported execution id is stored verbatim and is part of the key', async () => {
    const { record, rows } = await newCorner(place())
    for (const execution_id of [' A ', 'a', 'A']) await record({ execution_id })
    expect((await rows()).map((row) => row.agent_execution_id)).toEqual([' A ', 'A', 'a'])
  })

  it.each(['', null, undefined])(
    'AC-31: a frame whose execution id is %j is written as unknown, and counted',
    async (execution_id) => {
      const { record, row, writer } = await newCorner(place())
      await record({ execution_id })
      expect((await row()).agent_execution_id).toBe('unknown')
      expect(writer.counters()).toMatchObject({ attempted: 1, persisted: 1, unknown_execution: 1, skipped_no_identity: 0 })
    },
  )

  it('AC-31: a row under unknown is never upgraded to a real execution', async () => {
    const { record, rows } = await newCorner(place())
    await record({ execution_id: '' })
    await record({ execution_id: 'real' })
    await record({ execution_id: '', status: 'completed' })
    expect((await rows()).map((row) => [row.agent_execution_id, row.tool_status])).toEqual([
      ['real', 'pending'],
      ['unknown', 'completed'],
    ])
  })

  it('AC-31: two frames without execution that reuse one tool call share one row', async () => {
    const { record, row } = await newCorner(place())
    await record({ execution_id: '' })
    await record({ execution_id: '', subagent: { model: 'opus' } })
    expect((await row()).model).toBe('opus')
  })

  it('AC-32: a late frame of an older execution leaves the newer row byte-identical in every column', async () => {
    const { record, stored } = await newCorner(place())
    const subagent = { status: 'completed', model: 'opus', total_tokens: 100, tool_use_count: 4, duration_ms: 900 }
    await record({ execution_id: 'B', status: 'completed', observed_at: T(10), parent_tool_call_id: 'p', subagent })
    const [newer] = await stored()
    const late = {
      status: 'failed',
      model: 'haiku',
      total_tokens: 7,
      tool_use_count: 0,
      duration_ms: 1,
      is_async: true,
      agent_id: 'x',
    }
    await record({ execution_id: 'A', status: 'failed', observed_at: T(20), turn_id: 'other', subagent: late })
    await record({ execution_id: 'A', status: 'pending', observed_at: T(30) })
    const [older, untouched, ...more] = await stored()
    expect(more).toEqual([])
    expect(untouched).toEqual(newer)
    expect(Object.keys(untouched ?? {})).toHaveLength(22)
    expect(older).toMatchObject({
      agent_execution_id: 'A',
      tool_status: 'failed',
      model: 'haiku',
      total_tokens: '7',
      turn_id: 'other',
    })
  })
}
