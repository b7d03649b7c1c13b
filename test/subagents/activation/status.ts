import { describe, expect, it } from 'vitest'
import { status } from '../../../src/subagents/index.ts'
import { failing, start } from '../../support/activate.ts'
import { dumpRows } from '../../support/host-database.ts'
import { type Open, withFormer, withHost } from './host.ts'

const TABLE = 'task_session_subagents'
const EXECUTION = 'subagent_context_execution_since'

const row = (id: string, execution: string, observedAt: string, source = 'live'): string =>
  `INSERT INTO ${TABLE} (id, task_session_id, task_id, agent_execution_id, tool_call_id, source, observed_at, updated_at)
   VALUES ('${id}', 's1', 'k1', '${execution}', 't-${id}', '${source}', '${observedAt}', '${observedAt}');`

export const statusContract = (open: Open): void => {
  describe('status', () => {
    it('AC-24c: tells the state, the keys and the clauses of a database without our table, and changes nothing', async () => {
      await withHost(open, async (host) => {
        const before = await dumpRows(host)
        expect(await status(host.session)).toMatchObject({
          state: 'capture absent, execution absent',
          keys: { captureSince: null, backfillThrough: null, executionSince: null },
          schema: null,
          rows: null,
        })
        expect(await dumpRows(host)).toEqual(before)
      })
    })

    it('AC-33: shows each clause of a predecessor as observed', async () => {
      await withFormer(open, {}, async (host) => {
        const { schema, rows } = await status(host.session)
        expect(schema).toEqual({
          executionColumn: false,
          key: false,
          noPredecessorKey: false,
          missingIndexes: ['idx_subagents_observed_at'],
          narrowMetrics: host.dialect === 'postgres' ? ['total_tokens', 'tool_use_count', 'duration_ms'] : [],
        })
        expect(rows).toEqual({ total: 3n, bySource: { live: 3n }, known: 0n, unknownBefore: 3n, unknownSince: 0n })
      })
    })

    it('AC-24b: capture without execution is told as such', async () => {
      await withFormer(open, {}, async (host) => {
        await host.exec(`INSERT INTO kandev_meta (key, value) VALUES ('subagent_context_capture_since', '2026-08-02T10:11:12Z')`)
        await start(failing(host.session, ({ name }) => name === 'look for rows that share a key'))
        const { state, meaning, keys } = await status(host.session)
        expect(state).toBe('capture present, execution absent')
        expect(meaning).toContain('AC-24b')
        expect(keys?.captureSince).toBe('2026-08-02T10:11:12Z')
      })
    })

    it('AC-25: a real identity from before execution_since is real; the date tells unknown rows apart, and only those', async () => {
      await withHost(open, async (host) => {
        await start(host.session)
        await host.exec(`DELETE FROM kandev_meta WHERE key = '${EXECUTION}';
          INSERT INTO kandev_meta (key, value) VALUES ('${EXECUTION}', '2026-09-01T12:00:00.000001000Z');
          INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1');`)
        await host.exec(row('real-before', '0a1b2c3d-0000-4000-8000-000000000001', '2026-09-01 11:00:00+00:00'))
        await host.exec(row('legacy', 'unknown', '2026-09-01 12:00:00.000000+00:00'))
        await host.exec(row('at', 'unknown', '2026-09-01 12:00:00.000001+00:00'))
        await host.exec(row('history', 'unknown', '2026-08-01 12:00:00+00:00', 'backfill'))
        expect((await status(host.session)).rows).toEqual({
          total: 4n,
          bySource: { backfill: 1n, live: 3n },
          known: 1n,
          unknownBefore: 2n,
          unknownSince: 1n,
        })
      })
    })

    it('AC-24e: a key with digits past the sixth puts a row at the microsecond below it before, and at the one above it after', async () => {
      await withHost(open, async (host) => {
        await host.exec(`INSERT INTO kandev_meta (key, value) VALUES ('${EXECUTION}', '2026-09-01T12:00:00.000001001Z');
          INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1');`)
        await start(host.session)
        await host.exec(row('below', 'unknown', '2026-09-01 12:00:00.000001+00:00'))
        await host.exec(row('above', 'unknown', '2026-09-01 12:00:00.000002+00:00'))
        expect((await status(host.session)).rows).toMatchObject({ unknownBefore: 1n, unknownSince: 1n })
      })
    })

    it("advises the host's index where it is missing, and never creates it", async () => {
      await withHost(open, async (host) => {
        await start(host.session)
        expect((await status(host.session)).advice).toMatchObject([expect.stringContaining('created_at')])
        await host.exec('CREATE INDEX host_created ON task_session_messages (created_at)')
        expect((await status(host.session)).advice).toEqual([])
      })
    })
  })
}
