import { expect, it } from 'vitest'
import { listAll, listByTurn } from '../../../src/subagents/index.ts'
import { newCorner, type Place } from './harness.ts'

/** AC-13: the order of every read. */
export const orderingTests = (place: () => Place): void => {
  it('AC-13: a session is read by observed_at, then tool call, then execution, and never by id', async () => {
    let id = 999
    const { sessionId, record, rows } = await newCorner(place(), { newId: () => `${sessionId}-${id--}` })
    const [early, late] = ['2026-08-03T15:32:20.000001Z', '2026-08-03T15:32:20.000002Z']
    const inOrder = [
      [early, 'b', 'x'],
      [late, 'a', 'B'],
      [late, 'a', 'a'], // lower case after upper case: by bytes, not by a language
      [late, 'b', 'z'],
      [late, 'ä', 'a'],
      [late, '\uff5e', 'a'],
      [late, '😀', 'a'], // by UTF-8 bytes the emoji comes last; by UTF-16 units it would come before U+FF5E
    ] as const
    for (const [observed_at, tool_call_id, execution_id] of [...inOrder].reverse()) {
      await record({ observed_at, tool_call_id, execution_id })
    }
    const read = (await rows()).map((row) => [row.observed_at, row.tool_call_id, row.agent_execution_id])
    expect(read).toEqual(inOrder)
  })

  it('AC-13: a turn is read in the same order, over its sessions', async () => {
    const one = await newCorner(place())
    const two = await newCorner(place())
    const turn_id = `turn of ${one.sessionId}`
    await one.record({ turn_id, observed_at: '2026-08-03T15:32:22Z', tool_call_id: 'third' })
    await two.record({ turn_id, observed_at: '2026-08-03T15:32:21Z', tool_call_id: 'second' })
    await one.record({ turn_id, observed_at: '2026-08-03T15:32:20Z', tool_call_id: 'first' })
    await one.record({ turn_id: 'another turn', tool_call_id: 'not asked for' })
    const read = (await listByTurn(place().session, turn_id)).map((row) => row.tool_call_id)
    expect(read).toEqual(['first', 'second', 'third'])
  })

  it('AC-13: all rows are read by session, then in that order', async () => {
    const corners = [await newCorner(place()), await newCorner(place())]
    for (const { record } of corners) {
      await record({ observed_at: '2026-08-03T15:32:21Z', tool_call_id: 'a' })
      await record({ observed_at: '2026-08-03T15:32:20Z', tool_call_id: 'b' })
    }
    const ids = corners.map(({ sessionId }) => sessionId).sort()
    const read = (await listAll(place().session)).filter((row) => ids.includes(row.task_session_id))
    expect(read.map((row) => [row.task_session_id, row.tool_call_id])).toEqual(
      ids.flatMap((id) => [
        [id, 'b'],
        [id, 'a'],
      ]),
    )
  })

  it('hazard 37: a lookup by a text that no database can hold finds the row it became', async () => {
    const { record } = await newCorner(place())
    await record({ turn_id: 'turn \0 of hazard 37' })
    expect(await listByTurn(place().session, 'turn \0 of hazard 37')).toHaveLength(1)
  })
}
