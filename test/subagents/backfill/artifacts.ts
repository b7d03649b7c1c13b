import { describe, expect, it } from 'vitest'
import { type Program, query, script, transaction } from '../../../src/adapters/program.ts'
import { run } from '../../../src/adapters/session.ts'
import { artifactsOf } from '../../../src/sql-render/index.ts'
import { publishedContracts } from '../../../src/subagents/published.ts'
import { dumpRows } from '../../support/host-database.ts'
import { withHealth } from './health-host.ts'
import { meta, type Open } from './host.ts'

/** The committed files, run as they stand. */
export const artifactsRun = (open: Open): void => {
  describe('the artifacts', () => {
    it('AC-21, AC-22: backfill.sql, headers and all, does what the backfill does, and nothing when run again', () =>
      withHealth(open, async ({ host, say, rows }) => {
        await say({}, { metadata: meta({}, { tool_call_id: 't2' }) }, { metadata: 'subagent_task' })
        const reader = text(host.dialect, 'document-reader')
        const once = (): Promise<void> | void =>
          run(
            host.session,
            transaction('by hand', function* () {
              if (reader !== undefined) yield* script('reader', reader)
              yield* script('backfill', text(host.dialect, 'backfill') ?? '')
            }),
          )
        await once()
        expect((await rows()).map(({ tool_call_id, source }) => [tool_call_id, source])).toEqual([
          ['t1', 'backfill'],
          ['t2', 'backfill'],
        ])
        const before = await dumpRows(host)
        await once()
        expect(await dumpRows(host)).toEqual(before)
      }))

    it('AC-28, AC-29: the health files run with the parameters they document, and answer', () =>
      withHealth(open, async ({ host, subagent }) => {
        await subagent('t1')
        await subagent('t2', { row: false })
        const since = host.dialect === 'sqlite' ? '2026-08-03 12:00:00.000001+00:00' : '2026-08-03 12:00:00.000001'
        const reader = text(host.dialect, 'document-reader')
        function* ask(name: string): Program<unknown> {
          if (reader !== undefined) yield* script('reader', reader)
          const artifact = artifactOf(host.dialect, name)
          const rows = yield* query(name, artifact?.text ?? '', artifact?.parameters.map(() => since) ?? [], (row) =>
            row.map(String),
          )
          return rows
        }
        expect(await run(host.session, ask('health-shortfall'))).toEqual([['1', 's1', 't2']])
        expect(await run(host.session, ask('health-excess'))).toEqual([['0']])
        expect(await run(host.session, ask('health-collisions'))).toEqual([['0']])
        expect(await run(host.session, ask('health-newest'))).toEqual([[expect.stringMatching(/^2026-08-03.15:32:20\.123456/)]])
      }))
  })
}

const artifactOf = (dialect: string, name: string) =>
  artifactsOf(publishedContracts).find(({ path }) => path === `task_session_subagents/${dialect}/${name}.sql`)
const text = (dialect: string, name: string): string | undefined => artifactOf(dialect, name)?.text
