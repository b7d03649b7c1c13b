import { expect, it } from 'vitest'
import { newCorner, type Place } from './harness.ts'

const METRICS = ['total_tokens', 'tool_use_count', 'duration_ms'] as const
const INT64 = [1n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n]

/** AC-7 to AC-9 and the column-level normalisation rules. */
export const absenceTests = (place: () => Place): void => {
  it('AC-7: an async_launched frame leaves three NULLs, and no zero', async () => {
    const { sessionId, record } = await newCorner(place())
    await record({
      status: 'complete',
      subagent: {
        status: 'async_launched',
        agent_id: 'd4bf',
        model: 'claude-opus-5[1m]',
        duration_ms: 0,
        total_tokens: 0,
        is_async: true,
      },
    })
    const nulls = METRICS.map(
      (name) => `CASE WHEN ${name} IS NULL THEN 'null' WHEN ${name} = 0 THEN 'zero' ELSE 'value' END AS ${name}`,
    )
    const [row] = await place().raw(
      `SELECT ${nulls.join(', ')} FROM task_session_subagents WHERE task_session_id = '${sessionId}'`,
    )
    expect(row).toEqual({ total_tokens: 'null', tool_use_count: 'null', duration_ms: 'null' })
  })

  it.each(['total_tokens', 'duration_ms'] as const)(
    'AC-7a: %s reported as 0 is NULL, and never blanks a learned value',
    async (name) => {
      const { record, row } = await newCorner(place())
      await record({ subagent: { [name]: 0 } })
      expect((await row())[name]).toBeNull()
      await record({ subagent: { [name]: 275_717 } })
      await record({ subagent: { [name]: 0 } })
      expect((await row())[name]).toBe(275_717n)
    },
  )

  it('AC-8: tool_use_count reported as 0 is 0, replaces a learned count, and differs from not reported', async () => {
    const { record, row } = await newCorner(place())
    await record({ subagent: { tool_use_count: null } })
    expect((await row()).tool_use_count).toBeNull()
    await record({ subagent: { tool_use_count: 7 } })
    await record({ subagent: { tool_use_count: 0 } })
    expect((await row()).tool_use_count).toBe(0n)
  })

  it.each(METRICS)('AC-9: a negative %s is NULL, counted, blanks nothing, and leaves the other fields alone', async (name) => {
    const { record, row, writer } = await newCorner(place())
    expect(await record({ subagent: { [name]: -1, model: 'opus' } })).toMatchObject({ outcome: 'persisted', anomalies: [name] })
    expect(await row()).toMatchObject({ [name]: null, model: 'opus' })
    await record({ subagent: { [name]: 5 } })
    await record({ subagent: { [name]: -(2n ** 63n), model: 'haiku' } })
    expect(await row()).toMatchObject({ [name]: 5n, model: 'haiku' })
    expect(writer.counters()).toMatchObject({ attempted: 3, persisted: 3, anomalous_value: 2 })
  })

  it('normalisation: an empty text is stored as NULL in every nullable text column', async () => {
    const { record, stored } = await newCorner(place())
    const empty = { description: '', subagent_type: '', status: '', agent_id: '', model: '', child_session_id: '' }
    await record({ turn_id: '', parent_tool_call_id: '', status: '', subagent: empty })
    const [row] = await stored()
    const names = [
      'turn_id',
      'parent_tool_call_id',
      'tool_status',
      'agent_status',
      ...Object.keys(empty).filter((name) => name !== 'status'),
    ]
    for (const name of names) expect([name, row?.[name]]).toEqual([name, null])
  })

  it('normalisation: is_async is 0 until a positive report, and 1 ever after', async () => {
    const { record, row, stored } = await newCorner(place())
    await record()
    expect((await row()).is_async).toBe(false)
    for (const report of [true, false, null, '']) {
      await record({ subagent: { is_async: report } })
      expect((await row()).is_async).toBe(true)
    }
    expect((await stored())[0]?.['is_async']).toBe('1')
  })

  it('normalisation: metrics keep every digit of int64', async () => {
    const { record, row } = await newCorner(place())
    for (const value of INT64) {
      await record({ subagent: { total_tokens: value, tool_use_count: value, duration_ms: value } })
      expect(await row()).toMatchObject({ total_tokens: value, tool_use_count: value, duration_ms: value })
    }
  })

  it('normalisation: instants keep every microsecond, and any offset becomes UTC', async () => {
    const { record, row } = await newCorner(place())
    await record({ observed_at: '2026-08-03T23:59:59.999999+05:30' })
    expect((await row()).observed_at).toBe('2026-08-03T18:29:59.999999Z')
  })

  it('normalisation: prompt, result_text and output_file are stored nowhere', async () => {
    const { record, stored } = await newCorner(place())
    await record({ subagent: { prompt: 'SECRET', result_text: ['SECRET'], output_file: { a: 'SECRET' }, model: 'opus' } })
    expect(JSON.stringify(await stored())).not.toContain('SECRET')
  })

  it('hazard 37: U+0000 and lone surrogates become U+FFFD in any text, and the row is written', async () => {
    const { record, row } = await newCorner(place())
    await record({ tool_call_id: 'a\0b', subagent: { model: 'x\ud800y', description: '😀\uff5e' } })
    expect(await row()).toMatchObject({ tool_call_id: 'a\uFFFDb', model: 'x\uFFFDy', description: '😀\uff5e' })
  })
}
