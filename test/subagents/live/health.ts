import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { type Counters, createWriter } from '../../../src/subagents/index.ts'
import { frameOf, newCorner, type Place } from './harness.ts'

const ORPHAN = { task_session_id: 'a session that is not there' }

/** AC-26 and AC-27: what is counted, and that nothing breaks. */
export const healthTests = (place: () => Place): void => {
  it('AC-26: every frame is counted once, by what became of it', async () => {
    const { record, writer } = await newCorner(place())
    await record()
    await record({ status: 'completed' }) // a merge counts as a creation does
    await record({ execution_id: '', subagent: { total_tokens: -1, duration_ms: -1 } }) // one anomaly per frame, not per field
    await record({ tool_call_id: '', execution_id: '', subagent: { total_tokens: -1 } }) // skipped, and nothing else
    await record({ ...ORPHAN, execution_id: '', subagent: { tool_use_count: -5 } }) // failed: an anomaly, but not written as unknown
    await record({ status: 5 }) // undecodable: counted nowhere else
    await writer.record({ normalized: { kind: 'shell_exec' } })
    expect(writer.counters()).toEqual({
      attempted: 5,
      persisted: 3,
      skipped_no_identity: 1,
      anomalous_value: 2,
      failed: 1,
      unknown_execution: 1,
      ignored: 1,
      rejected: 1,
    })
  })

  it('AC-26: attempted is the sum of its outcomes at every moment, also while frames are on their way', async () => {
    const { sessionId, writer } = await newCorner(place())
    const seen: Counters[] = []
    await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const fields = at % 5 === 0 ? { task_id: '' } : at % 7 === 0 ? ORPHAN : {}
        const recorded = writer.record(frameOf({ task_session_id: sessionId, tool_call_id: `call ${at}`, ...fields }))
        seen.push(writer.counters())
        await recorded
        seen.push(writer.counters())
      }),
    )
    for (const { attempted, skipped_no_identity, persisted, failed } of seen)
      expect(attempted).toBe(skipped_no_identity + persisted + failed)
    expect(writer.counters()).toMatchObject({ attempted: 30, skipped_no_identity: 6, failed: 4, persisted: 20 })
  })

  it('AC-26: a snapshot does not change afterwards, and a new writer starts at zero', async () => {
    const { record, writer } = await newCorner(place())
    const before = writer.counters()
    await record()
    expect([before.attempted, writer.counters().attempted]).toEqual([0, 1])
    expect(createWriter(place().session, { log: { warn: () => undefined } }).counters().attempted).toBe(0)
  })

  it('AC-27: a failed write is one WARN with session and tool call, counted, and thrown at nobody', async () => {
    const { record, writer, warnings } = await newCorner(place())
    const outcome = await record({ ...ORPHAN, tool_call_id: 'toolu_orphan' })
    expect(outcome).toMatchObject({ outcome: 'failed', error: { code: 'foreign-key' } })
    expect(warnings).toEqual([
      { task_session_id: ORPHAN.task_session_id, tool_call_id: 'toolu_orphan', code: 'foreign-key', error: expect.any(String) },
    ])
    expect(await record()).toMatchObject({ outcome: 'persisted' })
    expect(writer.counters()).toMatchObject({ attempted: 2, failed: 1, persisted: 1 })
  })

  it('AC-27: a log, a clock or an id that throws breaks nothing', async () => {
    const fail = (): never => {
      throw new Error('telemetry is down')
    }
    const log = { warn: fail }
    const rejecting = { warn: () => Promise.reject(new Error('later')) }
    for (const options of [{ log }, { log: rejecting }]) {
      const { record } = await newCorner(place(), options)
      expect(await record(ORPHAN)).toMatchObject({ outcome: 'failed' })
    }
    const clockless = await newCorner(place(), { log, clock: { now: fail } })
    expect(await clockless.record({ observed_at: null })).toMatchObject({ outcome: 'failed' })
    expect(await clockless.record()).toMatchObject({ outcome: 'persisted' })
    const idless = await newCorner(place(), { log, newId: fail })
    expect(await idless.record()).toMatchObject({ outcome: 'failed' })
    expect(idless.writer.counters()).toMatchObject({ attempted: 1, failed: 1, anomalous_value: 0 })
  })

  // Catches: `instanceof` on what was thrown, `answer.catch` on what a log answered, a clock's promise that nobody waits for.
  it('AC-27: values that cannot be looked at, and promises of other realms, break nothing', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const unreadable = Object.defineProperty(new Error('x'), 'message', { get: () => { throw new Error('no') } }) // biome-ignore format: one line
    const raise = (value: unknown) => (): never => {
      throw value
    }
    const foreign = () => runInNewContext('Promise.reject(new Error("later"))') as Promise<never>
    const own = () => Object.assign(Promise.reject(new Error('later')), { catch: () => Promise.reject(new Error('again')) })
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const clocks = [raise(proxy), raise(unreadable), foreign as () => never, own as () => never]
    for (const now of clocks) {
      const { record, writer } = await newCorner(place(), { clock: { now } })
      expect(await record({ observed_at: null })).toMatchObject({ outcome: 'failed' })
      expect(writer.counters()).toMatchObject({ attempted: 1, failed: 1 })
    }
    for (const answer of [foreign, own]) {
      const { record } = await newCorner(place(), { log: { warn: answer as () => void } })
      expect(await record(ORPHAN)).toMatchObject({ outcome: 'failed' })
    }
    await setImmediate()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it('AC-27: a clock that tells no instant is a failed write, and no row', async () => {
    const { record, rows, warnings } = await newCorner(place(), { clock: { now: () => 'soon' } })
    expect(await record({ observed_at: '' })).toMatchObject({ outcome: 'failed' })
    expect([await rows(), warnings.length]).toEqual([[], 1])
  })

  it('AC-27: whatever is handed in is answered, never thrown', async () => {
    const { writer } = await newCorner(place())
    const trap = new Proxy({}, { getOwnPropertyDescriptor: () => { throw new Error('no') } }) // biome-ignore format: one line
    for (const value of [undefined, null, 5, 'text', [], () => 1, Symbol('s'), trap, 10n]) {
      expect(await writer.record(value)).toMatchObject({ outcome: 'rejected' })
    }
    expect(writer.counters()).toMatchObject({ attempted: 0, rejected: 9 })
  })
}
