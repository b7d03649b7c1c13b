import { describe, expect, it } from 'vitest'
import { run, type Session } from '../../../src/adapters/session.ts'
import { healthSteps } from '../../../src/subagents/health.ts'
import { answering, watching } from '../../support/stepping.ts'
import { AFTER, BEFORE, SINCE, withHealth } from './health-host.ts'
import { insertOf, meta, type Open } from './host.ts'

/** Sends a script of its own before a step: what others do while the program runs. */
const meanwhile = (session: Session, before: string, sql: string, names: string[] = []): Session =>
  answering(session, function* (step) {
    names.push(step.name)
    if (step.name === before) yield { kind: 'script', name: 'meanwhile', sql }
    return yield step
  })

const rowSql = (toolCallId: string): string =>
  `INSERT INTO task_session_subagents (id, task_session_id, task_id, agent_execution_id, tool_call_id, is_async, source, observed_at, updated_at)
   VALUES ('${toolCallId}', 's1', 'k1', 'e1', '${toolCallId}', 0, 'live', '${AFTER}', '${AFTER}');`

export const healthReports = (open: Open): void => {
  describe('health', () => {
    it('AC-28a: without capture_since nothing is compared, and its absence is the signal', () =>
      withHealth(open, async ({ host, subagent }) => {
        await subagent('t1', { row: false })
        const names: string[] = []
        const report = await run(
          watching(host.session, ({ name }) => void names.push(name)),
          healthSteps(host.dialect),
        )
        expect(report).toEqual({ state: 'not_activated' })
        expect(names.filter((name) => name.startsWith('health'))).toEqual([])
      }))

    it('AC-28: rows and messages that agree are healthy, and the newest observation says since when', () =>
      withHealth(open, async ({ activated, subagent, check }) => {
        await activated()
        await subagent('t1')
        await subagent('t2', { at: '2026-08-04 00:00:00.000001' })
        expect(await check()).toEqual({
          state: 'healthy',
          captureSince: SINCE,
          newestObservation: '2026-08-04T00:00:00.000001Z',
          excess: 0n,
          collisions: 0n,
        })
      }))

    it('AC-28: a frame that AC-2 skips writes its message and no row, and is no shortfall', () =>
      withHealth(open, async ({ activated, subagent, check }) => {
        await activated()
        await subagent('t1')
        for (const said of [{ task: '' }, { task: null }, { session: '' }, { session: 'gone' }])
          await subagent('t2', { row: false, said })
        for (const id of ['', 7, null, undefined])
          await subagent('x', { row: false, said: { metadata: meta({}, { tool_call_id: id }) } })
        expect(await check()).toMatchObject({ state: 'healthy' })
      }))

    it('AC-29: the first subagent that is missed is the first divergence, dated by the newest row', () =>
      withHealth(open, async ({ activated, subagent, check }) => {
        await activated()
        await subagent('t1')
        await subagent('t2', { row: false })
        expect(await check()).toMatchObject({
          state: 'shortfall',
          missing: 1n,
          missingKeys: [{ task_session_id: 's1', tool_call_id: 't2' }],
          newestObservation: '2026-08-03T15:32:20.123456Z',
        })
      }))

    it('AC-28, AC-29: excess that was banked by collisions hides nothing', () =>
      withHealth(open, async ({ activated, subagent, row, check }) => {
        await activated()
        await subagent('t1', { execution: 'e1' })
        await row('t1', AFTER, 'e2')
        await row('t1', AFTER, 'e3')
        expect(await check()).toMatchObject({ state: 'healthy', collisions: 2n, excess: 0n })
        await subagent('t2', { row: false })
        expect(await check()).toMatchObject({ state: 'shortfall', missing: 1n, collisions: 2n })
      }))

    it('AC-28: a standing excess does not alarm, and does not absorb the first miss', () =>
      withHealth(open, async ({ activated, subagent, row, check }) => {
        await activated()
        await row('no message')
        await row('no message either')
        expect(await check()).toMatchObject({ state: 'healthy', excess: 2n })
        await subagent('t1', { row: false })
        expect(await check()).toMatchObject({ state: 'shortfall', missing: 1n, excess: 2n })
      }))

    it('AC-28: two messages about one subagent are one key: no shortfall', () =>
      withHealth(open, async ({ activated, subagent, say, check }) => {
        await activated()
        await subagent('t1')
        await say({ metadata: meta({ model: 'again' }), at: '2026-08-03 16:00:00' })
        expect(await check()).toMatchObject({ state: 'healthy', excess: 0n })
      }))

    it('AC-28: the excess side subtracts every message of the kind, those without a task as well', () =>
      withHealth(open, async ({ activated, row, say, check }) => {
        await activated()
        await row('t1')
        await say({ task: '', metadata: meta({}, { tool_call_id: 't1' }) })
        expect(await check()).toMatchObject({ state: 'healthy', excess: 0n })
      }))

    it('AC-28: metadata that is no JSON at all does not disable the check', () =>
      withHealth(open, async ({ activated, subagent, say, check }) => {
        await activated()
        await subagent('t1')
        await subagent('t2', { row: false })
        const broken = [
          '',
          'null',
          'subagent_task',
          '{"subagent_task',
          '["subagent_task"]',
          `"subagent_task${'['.repeat(50_000)}`,
        ]
        await say({ metadata: null }, ...broken.map((metadata) => ({ metadata })))
        expect(await check()).toMatchObject({ state: 'shortfall', missing: 1n, excess: 0n })
      }))

    it('AC-28b: a row that lands between the two evaluations was late, not missing', () =>
      withHealth(open, async ({ host, activated, subagent }) => {
        await activated()
        await subagent('t1')
        await subagent('late', { row: false })
        await subagent('never', { row: false })
        const evaluations: string[] = []
        // The second evaluation sees a row more, and a message more whose row is on its way.
        const sql = `${rowSql('late')} ${insertOf({ metadata: meta({}, { tool_call_id: 'later' }) })}`
        const session = meanwhile(host.session, 'health: shortfall, again', sql, evaluations)
        const report = await run(session, healthSteps(host.dialect))
        expect(evaluations.filter((name) => name.startsWith('health: shortfall'))).toEqual([
          'health: shortfall',
          'health: shortfall, again',
        ])
        expect(report).toMatchObject({ state: 'shortfall', missing: 1n, missingKeys: [{ tool_call_id: 'never' }] })
      }))

    // Catches: the second evaluation alone; the smaller of two counts; lists compared where only one of them is whole.
    it.each([
      ['few, then many more on their way', 2, 25, 1],
      ['many, then few more on their way', 25, 3, 0],
      ['many, of which many stay', 30, 30, 24],
    ])('AC-28b: %s: exactly what both evaluations miss counts, however many keys one of them has', (_, before, later, never) =>
      withHealth(open, async ({ host, activated, subagent, say }) => {
        await activated()
        await subagent('t1')
        const named = (prefix: string, count: number): readonly string[] =>
          Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(2, '0')}`)
        const missedBy = (calls: readonly string[]) => calls.map((call) => ({ metadata: meta({}, { tool_call_id: call }) }))
        await say(...missedBy([...named('a', before), ...named('never', never)]))
        const sql = [...named('a', before).map(rowSql), ...missedBy(named('b', later)).map(insertOf)].join('\n')
        const session = meanwhile(host.session, 'health: shortfall, again', sql)
        const report = await run(session, healthSteps(host.dialect))
        const listed = named('never', Math.min(never, 20)).map((call) => ({ task_session_id: 's1', tool_call_id: call }))
        expect(report).toMatchObject(
          never === 0 ? { state: 'healthy' } : { state: 'shortfall', missing: BigInt(never), missingKeys: listed },
        )
      }),
    )

    it('AC-29: no row since activation is said in those words, whatever older rows there are', () =>
      withHealth(open, async ({ activated, subagent, backfill, check }) => {
        await activated()
        await subagent('old', { at: BEFORE })
        await subagent('older', { at: '2026-01-01 00:00:00', row: false })
        await backfill()
        expect(await check()).toMatchObject({ state: 'nothing_since_activation', excess: 0n })
        await subagent('t1', { row: false })
        expect(await check()).toMatchObject({ state: 'shortfall', missing: 1n, newestObservation: null })
      }))
  })
}
