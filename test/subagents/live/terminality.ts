import { expect, it } from 'vitest'
import { TERMINAL_TOOL_STATUSES } from '../../../src/subagents/index.ts'
import { newCorner, type Place } from './harness.ts'

const T = (second: number): string => `2026-08-03T15:32:${String(second).padStart(2, '0')}.000001Z`

/** AC-10 to AC-12: what settles a row, and what settling freezes. */
export const terminalityTests = (place: () => Place): void => {
  it('AC-10: a row that never became terminal holds its last reports and is not settled', async () => {
    const { record, row } = await newCorner(place())
    await record({ status: 'pending' })
    await record({ status: 'in_progress', subagent: { status: 'started', child_session_id: 'child' } })
    expect(await row()).toMatchObject({ tool_status: 'in_progress', agent_status: 'started', settled_at: null })
  })

  it('AC-10a: an agent status that nobody knows is stored verbatim and settles nothing', async () => {
    const { record, row } = await newCorner(place())
    for (const status of ['Completed ✓', 'completed', 'failed', 'async_launched']) {
      await record({ subagent: { status } })
      expect(await row()).toMatchObject({ agent_status: status, settled_at: null })
    }
  })

  it.each(TERMINAL_TOOL_STATUSES)('AC-11: the tool status %s settles the row at its observation', async (status) => {
    const { record, row } = await newCorner(place())
    await record({ observed_at: T(1) })
    await record({ status, observed_at: T(2) })
    expect(await row()).toMatchObject({ tool_status: status, settled_at: T(2) })
  })

  it.each(['pending', 'in_progress', 'COMPLETED', 'completed ', 'async_launched', 'unknown', 'done'])(
    'AC-11: the tool status %j does not settle',
    async (status) => {
      const { record, row } = await newCorner(place())
      await record({ status })
      expect(await row()).toMatchObject({ tool_status: status, settled_at: null })
    },
  )

  it('AC-11: settled_at is written once, whichever terminal frame comes later or was observed earlier', async () => {
    const { record, row } = await newCorner(place())
    await record({ status: 'failed', observed_at: T(20) })
    await record({ status: 'completed', observed_at: T(30) })
    await record({ status: 'completed', observed_at: T(10) })
    expect(await row()).toMatchObject({ settled_at: T(20), tool_status: 'failed' })
  })

  it('AC-11: a first frame that is terminal already creates a settled row', async () => {
    const { record, row } = await newCorner(place())
    await record({ status: 'success', observed_at: T(5) })
    expect(await row()).toMatchObject({ settled_at: T(5), observed_at: T(5), tool_status: 'success' })
  })

  it('AC-12: after settlement tool_status and settled_at stand, and NULLs still fill', async () => {
    const { record, row } = await newCorner(place())
    await record({ status: 'completed', observed_at: T(1) })
    await record({ status: 'in_progress', observed_at: T(2), subagent: { model: 'opus', total_tokens: 5 } })
    expect(await row()).toMatchObject({
      tool_status: 'completed',
      settled_at: T(1),
      model: 'opus',
      total_tokens: 5n,
      updated_at: T(2),
    })
  })

  it('AC-12: after settlement every other column still follows AC-5', async () => {
    const { record, row } = await newCorner(place())
    await record({ status: 'completed', subagent: { model: 'opus', status: 'started', description: 'a', total_tokens: 1 } })
    await record({
      status: 'pending',
      subagent: { model: 'haiku', status: 'completed', description: 'b', total_tokens: 2, is_async: true },
    })
    expect(await row()).toMatchObject({
      tool_status: 'completed',
      model: 'haiku',
      agent_status: 'completed',
      description: 'b',
      total_tokens: 2n,
      is_async: true,
    })
  })
}
