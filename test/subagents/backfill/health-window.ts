import { describe, expect, it } from 'vitest'
import { type Program, query, script } from '../../../src/adapters/program.ts'
import { run } from '../../../src/adapters/session.ts'
import { backfillArtifacts } from '../../../src/subagents/artifacts.ts'
import { onPostgres, SPEC_EXCESS, SPEC_SHORTFALL } from '../../support/health-queries.ts'
import type { HostDatabase } from '../../support/host-database.ts'
import { specText } from '../../support/spec.ts'
import { AFTER, SINCE, withHealth } from './health-host.ts'
import { meta, type Open } from './host.ts'

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

export const healthWindow = (open: Open): void => {
  describe('the window of health', () => {
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
