import { expect, it } from 'vitest'
import { newCorner, type Place } from './harness.ts'

const T = (second: number): string => `2026-08-03T15:32:${String(second).padStart(2, '0')}.000001Z`

/** AC-1 to AC-6: a row comes to be, and later frames merge into it. */
export const captureTests = (place: () => Place): void => {
  it('AC-1: a subagent frame with its identities creates a live row observed when the frame was', async () => {
    const { record, row } = await newCorner(place())
    const outcome = await record({ observed_at: T(1) })
    expect(outcome).toMatchObject({ outcome: 'persisted', key: { agent_execution_id: 'execution', tool_call_id: 'call' } })
    expect(await row()).toMatchObject({ source: 'live', observed_at: T(1), updated_at: T(1), task_id: 'task', turn_id: 'turn' })
  })

  it('AC-1: without observed_at the frame is observed at the clock of the writer', async () => {
    const { record, row } = await newCorner(place(), { clock: { now: () => T(9) } })
    for (const absent of [undefined, null, '']) await record({ observed_at: absent, tool_call_id: 'call' })
    expect(await row()).toMatchObject({ observed_at: T(9) })
  })

  it('AC-1: a frame of another kind, or without normalized, is ignored and leaves nothing', async () => {
    const { record, rows, writer } = await newCorner(place())
    const other = (normalized: unknown): unknown => writer.record({ ...({ task_session_id: 5, normalized } as object) })
    for (const normalized of [{ kind: 'shell_exec' }, {}, { kind: null }, null, undefined, '']) {
      expect(await other(normalized)).toEqual({ outcome: 'ignored' })
    }
    expect(await rows()).toEqual([])
    expect(writer.counters()).toMatchObject({ attempted: 0, ignored: 6, rejected: 0 })
    expect(await record()).toMatchObject({ outcome: 'persisted' })
  })

  it('AC-1: a live frame on a backfilled row fills it, and leaves its source, observed_at, id and task alone', async () => {
    const { sessionId, record, row } = await newCorner(place())
    await record({ execution_id: '', task_id: 'first task', turn_id: '', observed_at: T(1) })
    await place().raw(`UPDATE task_session_subagents SET source = 'backfill' WHERE task_session_id = '${sessionId}'`)
    const before = await row()
    await record({ execution_id: '', task_id: 'other task', turn_id: 'turn', observed_at: T(2), subagent: { model: 'opus' } })
    expect(await row()).toEqual({ ...before, source: 'backfill', turn_id: 'turn', model: 'opus', updated_at: T(2) })
  })

  it('AC-1a: observed_at is that of the frame that committed first, also when a later commit was observed earlier', async () => {
    const { record, row } = await newCorner(place())
    await record({ observed_at: T(30) })
    await record({ observed_at: T(10) })
    expect(await row()).toMatchObject({ observed_at: T(30), updated_at: T(30) })
  })

  it.each(['task_session_id', 'task_id', 'tool_call_id'])(
    'AC-2: a frame without %s is skipped and counted, no row',
    async (field) => {
      const { record, rows, writer } = await newCorner(place())
      for (const absent of ['', null, undefined]) {
        expect(await record({ [field]: absent, subagent: { total_tokens: -1 } })).toEqual({
          outcome: 'skipped_no_identity',
          missing: [field],
        })
      }
      expect(await rows()).toEqual([])
      expect(writer.counters()).toMatchObject({ attempted: 3, skipped_no_identity: 3, anomalous_value: 0, persisted: 0 })
    },
  )

  it('AC-2: the skip set is exactly three identities; a frame without execution, turn and parent is recorded', async () => {
    const { record, row } = await newCorner(place())
    await record({ execution_id: null, turn_id: null, parent_tool_call_id: null, status: null, subagent: null })
    expect(await row()).toMatchObject({
      agent_execution_id: 'unknown',
      turn_id: null,
      parent_tool_call_id: null,
      tool_status: null,
    })
  })

  it('AC-2a: the same key under a later turn keeps its turn and its one row', async () => {
    const { record, row } = await newCorner(place())
    await record({ turn_id: 'first' })
    await record({ turn_id: 'second', subagent: { model: 'opus' } })
    expect(await row()).toMatchObject({ turn_id: 'first', model: 'opus' })
  })

  it('AC-2a: a turn that was unknown is filled forward, and then stands', async () => {
    const { record, row } = await newCorner(place())
    await record({ turn_id: '' })
    expect((await row()).turn_id).toBeNull()
    await record({ turn_id: 'first' })
    await record({ turn_id: 'second' })
    expect((await row()).turn_id).toBe('first')
  })

  it('AC-3: later and duplicate frames update the one row', async () => {
    const { record, row } = await newCorner(place())
    await record()
    const { id } = await row()
    for (const status of ['in_progress', 'in_progress', 'completed', 'completed']) await record({ status })
    expect(await row()).toMatchObject({ id, tool_status: 'completed' })
  })

  it('AC-4: an absent or empty report never blanks a stored value, in any column', async () => {
    const { record, row } = await newCorner(place())
    const subagent = { ...FULL }
    await record({ parent_tool_call_id: 'parent', status: 'in_progress', subagent })
    const before = await row()
    for (const absent of ['', null, undefined]) {
      const blank = Object.fromEntries(Object.keys(FULL).map((name) => [name, absent]))
      await record({ parent_tool_call_id: absent, turn_id: absent, status: absent, subagent: blank })
    }
    await record({ subagent: null, parent_tool_call_id: null, status: '' })
    expect(await row()).toEqual(before)
  })

  it('AC-5: a reported value replaces the stored one, in every column that AC-5 governs', async () => {
    const { record, row } = await newCorner(place())
    await record({ parent_tool_call_id: 'parent', subagent: FULL })
    await record({ parent_tool_call_id: 'parent 2', status: 'in_progress', subagent: FULLER })
    expect(await row()).toMatchObject({
      parent_tool_call_id: 'parent 2',
      tool_status: 'in_progress',
      agent_status: 'completed',
      subagent_type: 'planner',
      description: 'again',
      agent_id: 'agent 2',
      model: 'haiku',
      child_session_id: 'child 2',
      total_tokens: 2n,
      tool_use_count: 0n,
      duration_ms: 1n,
    })
  })

  it('AC-6: a nested subagent is written with its parent', async () => {
    const { record, row } = await newCorner(place())
    await record({ parent_tool_call_id: 'toolu_parent' })
    expect((await row()).parent_tool_call_id).toBe('toolu_parent')
  })
}

const FULL = {
  description: 'look',
  subagent_type: 'explore',
  status: 'started',
  agent_id: 'agent',
  model: 'opus',
  child_session_id: 'child',
  duration_ms: 900,
  total_tokens: 1000,
  tool_use_count: 3,
}
const FULLER = {
  description: 'again',
  subagent_type: 'planner',
  status: 'completed',
  agent_id: 'agent 2',
  model: 'haiku',
  child_session_id: 'child 2',
  duration_ms: 1,
  total_tokens: 2,
  tool_use_count: 0,
}
