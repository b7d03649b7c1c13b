import { describe, expect, it } from 'vitest'
import { type Program, query, script } from '../../../src/adapters/program.ts'
import { run } from '../../../src/adapters/session.ts'
import { backfillArtifacts } from '../../../src/subagents/artifacts.ts'
import { type HealthReport, health, healthSteps } from '../../../src/subagents/health.ts'
import { createWriter } from '../../../src/subagents/writer.ts'
import { watching, wrapping } from '../../support/activate.ts'
import { onPostgres, SPEC_EXCESS, SPEC_SHORTFALL } from '../../support/health-queries.ts'
import type { HostDatabase } from '../../support/host-database.ts'
import { specText } from '../../support/spec.ts'
import { insertOf, meta, type Open, type Said, type Store, withStore } from './host.ts'

const SINCE = '2026-08-03T12:00:00.000000500Z'
const AFTER = '2026-08-03 15:32:20.123456'
const BEFORE = '2026-08-03 11:59:59.999999'

interface Watched extends Store {
  readonly activated: (since?: string) => Promise<void>
  /** The message and, unless the writer is dead, the row of one subagent. */
  readonly subagent: (
    toolCallId: string,
    options?: { readonly row?: boolean; readonly at?: string; readonly execution?: string; readonly said?: Said },
  ) => Promise<void>
  readonly row: (toolCallId: string, at?: string, execution?: string) => Promise<void>
  readonly check: () => Promise<HealthReport>
}

const withHealth = (open: Open, body: (store: Watched) => Promise<void>): Promise<void> =>
  withStore(open, async (store) => {
    const { host, say } = store
    const { record } = createWriter(host.session, { log: { warn: () => undefined } })
    const row = async (tool_call_id: string, at = AFTER, execution_id = 'e1'): Promise<void> => {
      const frame = {
        task_session_id: 's1',
        task_id: 'k1',
        tool_call_id,
        execution_id,
        observed_at: `${at.replace(' ', 'T')}Z`,
        normalized: { kind: 'subagent_task' },
      }
      expect(await record(frame)).toMatchObject({ outcome: 'persisted' })
    }
    await body({
      ...store,
      row,
      activated: (since = SINCE) =>
        host.exec(`INSERT INTO kandev_meta (key, value) VALUES ('subagent_context_capture_since', '${since}')`),
      subagent: async (toolCallId, { row: hasRow = true, at = AFTER, execution, said } = {}) => {
        await say({ metadata: meta({}, { tool_call_id: toolCallId }), at, ...said })
        if (hasRow) await row(toolCallId, at, execution)
      },
      check: async () => health(host.session),
    })
  })

/** Sends a script of its own before a step: what others do while the program runs. */
function* meanwhile<T>(program: Program<T>, before: string, sql: string, names: string[]): Program<T> {
  let turn = program.next()
  while (turn.done !== true) {
    names.push(turn.value.name)
    if (turn.value.name === before) yield { kind: 'script', name: 'meanwhile', sql }
    turn = program.next(yield turn.value)
  }
  return turn.value
}

const rowSql = (toolCallId: string): string =>
  `INSERT INTO task_session_subagents (id, task_session_id, task_id, agent_execution_id, tool_call_id, is_async, source, observed_at, updated_at)
   VALUES ('${toolCallId}', 's1', 'k1', 'e1', '${toolCallId}', 0, 'live', '${AFTER}', '${AFTER}');`

/** The plan where reading whole tables is not an option: these are too small for the planner to bother with an index. */
const explained = async (host: HostDatabase, reader: string, sql: string): Promise<string> => {
  function* plan(): Program<string> {
    yield* script('reader', reader)
    yield* script('no scans', 'SET enable_seqscan = off')
    const lines = yield* query('explain', `EXPLAIN ${sql}`, [], ([line]) => String(line))
    yield* script('scans', 'RESET enable_seqscan')
    return lines.join('\n')
  }
  return run(host.session, plan())
}

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
        const session = wrapping(host.session, (program) => meanwhile(program, 'health: shortfall, again', sql, evaluations))
        const report = await run(session, healthSteps(host.dialect))
        expect(evaluations.filter((name) => name.startsWith('health: shortfall'))).toEqual([
          'health: shortfall',
          'health: shortfall, again',
        ])
        expect(report).toMatchObject({ state: 'shortfall', missing: 1n, missingKeys: [{ tool_call_id: 'never' }] })
      }))

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

    it('AC-24e: one microsecond before the key is before it, at the key is after, on both sides', () =>
      withHealth(open, async ({ activated, subagent, check }) => {
        // Digits past the sixth round up: this key is between 12:00:00.000000 and .000001.
        await activated(SINCE)
        await subagent('before', { at: '2026-08-03 12:00:00.000000', row: false })
        expect(await check()).toMatchObject({ state: 'nothing_since_activation' })
        await subagent('at', { at: '2026-08-03 12:00:00.000001', row: false })
        expect(await check()).toMatchObject({ state: 'shortfall', missingKeys: [{ tool_call_id: 'at' }] })
      }))

    it('AC-24e: later on the key’s own day is after it, not before midnight of the next', () =>
      withHealth(open, async ({ activated, subagent, check }) => {
        await activated('2026-08-03T00:00:01Z')
        await subagent('t1', { at: '2026-08-03 23:59:59.999999', row: false })
        expect(await check()).toMatchObject({ state: 'shortfall', missing: 1n })
      }))

    it.each([
      '2026-08-03T12:00:00Z',
      '2026-08-03 12:00:00',
      '2026-08-03T14:00:00.000000001+02:00',
      '2026-08-03t12:00:00.0000009z',
    ])('AC-24: a key spelled %s is read as the instant it is, and stays as it is', (since) =>
      withHealth(open, async ({ host, activated, subagent, check }) => {
        await activated(since)
        await subagent('t1', { at: '2026-08-03 12:00:00.000001' })
        await subagent('t0', { at: '2026-08-03 11:59:59.999999', row: false })
        expect(await check()).toMatchObject({ state: 'healthy', captureSince: since })
        expect(await host.rows('SELECT value FROM kandev_meta')).toEqual([[since]])
      }),
    )

    it.each(['', 'yesterday', '2026-02-30T00:00:00Z'])(
      'AC-24e: a key that holds "%s" is a clear error, and nothing is compared',
      (since) =>
        withHealth(open, async ({ activated, check }) => {
          await activated(since)
          await expect(check()).rejects.toMatchObject({
            code: 'unsupported-value',
            message: expect.stringMatching(/subagent_context_capture_since, which is no instant/),
          })
        }),
    )

    it('AC-28: all missing keys are counted and twenty are listed', () =>
      withHealth(open, async ({ activated, say, check }) => {
        await activated()
        await say(...Array.from({ length: 33 }, (_, at) => ({ metadata: meta({}, { tool_call_id: `t${at}` }), at: AFTER })))
        const report = await check()
        expect(report).toMatchObject({ state: 'shortfall', missing: 33n })
        expect(report.state === 'shortfall' && report.missingKeys).toHaveLength(20)
      }))

    it.each([
      ['shortfall', [/by_created_at/, /idx_subagents_observed_at/]],
      ['excess', [/by_created_at/, /idx_subagents_observed_at/]],
      ['newest', [/idx_subagents_observed_at/]],
      ['collisions', [/idx_subagents_observed_at/]],
    ] as const)('AC-24e, AC-28: the cost of %s follows the window: indexes on the instants serve', (name, indexes) =>
      withHealth(open, async ({ host }) => {
        await host.exec('CREATE INDEX by_created_at ON task_session_messages (created_at)')
        const textOf = (wanted: string): string =>
          backfillArtifacts(host.dialect).find((artifact) => artifact.name === wanted)?.sql ?? ''
        const sql = textOf(`health-${name}`).replaceAll(/(?<=>= |DATE\()\?|\$\d/g, "'2026-08-03 12:00:00.000001'")
        const plan =
          host.dialect === 'sqlite'
            ? (await host.rows(`EXPLAIN QUERY PLAN ${sql}`)).map((row) => row.at(-1)).join('\n')
            : await explained(host, textOf('document-reader'), sql)
        for (const index of indexes) expect(plan).toMatch(index)
        expect(plan).not.toMatch(/SCAN (stored|source)\b|Seq Scan on task_session_(messages|subagents)/)
      }),
    )
  })

  describe('AC-28: the queries as the spec has them', () => {
    it('AC-28, AC-19: they run verbatim and find nothing on a clean store, also with metadata that is empty or null', () =>
      withHealth(open, async ({ host, subagent, say }) => {
        await subagent('t1')
        await say(
          { metadata: '' },
          { metadata: 'null' },
          { metadata: null },
          { task: '', metadata: meta({}, { tool_call_id: 'skipped' }) },
        )
        // On SQLite the key bound as a timestamp is the column's own form; on PostgreSQL a timestamp.
        const since = host.dialect === 'sqlite' ? "'2026-08-03 12:00:00.000001+00:00'" : "'2026-08-03 12:00:00.000001'::timestamp"
        const counts = async (): Promise<unknown> => {
          const forms = [SPEC_SHORTFALL, SPEC_EXCESS].map((sql) =>
            (host.dialect === 'sqlite' ? sql : onPostgres(sql)).replaceAll(':since', since).replace(/;$/, ''),
          )
          return Promise.all(forms.map(async (sql) => (await host.rows(sql))[0]?.[0]))
        }
        expect(await counts()).toEqual(['0', '0'])
        await subagent('t2', { row: false })
        expect(await counts()).toEqual(['1', '0'])
      }))

    it('AC-28: the text that is pinned here is the spec’s', () => {
      const spec = specText()
      for (const sql of [SPEC_SHORTFALL, SPEC_EXCESS]) expect(spec ?? sql).toContain(sql)
    })
  })
}
