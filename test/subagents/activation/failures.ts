import { describe, expect, it } from 'vitest'
import { failing, isBackfill, NOTHING_TO_DO, start } from '../../support/activate.ts'
import { dumpRows, dumpSchema, keysOf, message } from '../../support/host-database.ts'
import { type Open, oldColumns, withFormer, withHost } from './host.ts'

const CAPTURE = 'subagent_context_capture_since'
const THROUGH = 'subagent_context_backfill_through'
const EXECUTION = 'subagent_context_execution_since'

export const failures = (open: Open): void => {
  describe('failures', () => {
    it('AC-20 AC-24a: a backfill that fails leaves neither key and a WARN with its name; the next start tries again', async () => {
      await withHost(open, async (host) => {
        await host.exec(`INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1')`)
        await host.exec(message('m1', 's1', 't1', '2026-08-05 01:02:03.000004+00:00'))
        const first = await start(failing(host.session, isBackfill))
        expect(first.warnings).toMatchObject([{ step: 'backfill', code: 'unknown', error: expect.stringContaining('Planted') }])
        expect(Object.keys(await keysOf(host))).toEqual([EXECUTION])
        const second = await start(host.session)
        expect(second.outcomes).toEqual({ ...NOTHING_TO_DO, backfill: 'done' })
        expect(Object.keys(await keysOf(host))).toEqual([THROUGH, CAPTURE, EXECUTION])
        expect(await host.rows(`SELECT source FROM task_session_subagents`)).toEqual([['backfill']])
      })
    })

    it('AC-24a: a real failure, a host table without the column, is the same: no key, a WARN, and the start goes on', async () => {
      await withHost(open, async (host) => {
        await host.exec('ALTER TABLE task_session_messages RENAME COLUMN metadata TO former_metadata')
        const { outcomes, warnings } = await start(host.session)
        expect(outcomes).toMatchObject({ schema: 'done', execution_since: 'done', backfill: 'failed' })
        expect(warnings).toMatchObject([{ step: 'backfill' }])
        expect(Object.keys(await keysOf(host))).toEqual([EXECUTION])
      })
    })

    it('AC-33a: an upgrade that fails in its last statement leaves the former table whole, no key, a WARN; the next start succeeds', async () => {
      await withFormer(open, {}, async (host) => {
        const [rows, schema, columns] = [await dumpRows(host), await dumpSchema(host), await oldColumns(host)]
        const isLast = ({ name }: { readonly name: string }): boolean => name === 'upgrade: commit'
        const first = await start(failing(host.session, (step) => isLast(step) || /metrics|indexes/.test(step.name)))
        expect(first.outcomes).toMatchObject({ upgrade: 'failed', execution_since: 'skipped', backfill: 'skipped' })
        expect(first.warnings.map(({ step }) => step)).toContain('upgrade')
        expect(await dumpRows(host)).toEqual(rows)
        expect(await dumpSchema(host)).toEqual(schema)
        expect(await keysOf(host)).toEqual({})
        const second = await start(host.session)
        expect(second.outcomes).toMatchObject({ upgrade: 'done', execution_since: 'done', backfill: 'done' })
        expect(await oldColumns(host)).toEqual(columns)
      })
    })

    it('AC-33b: on a fresh database execution_since is there, although no upgrade ran', async () => {
      await withHost(open, async (host) => {
        expect((await start(host.session)).outcomes).toMatchObject({
          schema: 'done',
          upgrade: 'already_done',
          execution_since: 'done',
        })
        expect(await keysOf(host)).toHaveProperty(EXECUTION)
      })
    })

    it('AC-33b: an amended table without the key gets it, and neither an upgrade nor a CREATE TABLE ran (self-heal)', async () => {
      await withFormer(open, {}, async (host) => {
        const broken = await start(failing(host.session, ({ name }) => name === 'upsert kandev_meta'))
        expect(broken.outcomes).toMatchObject({ upgrade: 'done', execution_since: 'failed', backfill: 'failed' })
        expect(await keysOf(host)).toEqual({})
        const names: string[] = []
        const second = await start(
          failing(host.session, ({ name }) => {
            names.push(name)
            return false
          }),
        )
        expect(second.outcomes).toEqual({ ...NOTHING_TO_DO, execution_since: 'done', backfill: 'done' })
        expect(names.filter((name) => /create|table/.test(name))).toEqual([])
      })
    })

    it('AC-33b: the key present is left unchanged', async () => {
      await withHost(open, async (host) => {
        await host.exec(`INSERT INTO kandev_meta (key, value) VALUES ('${EXECUTION}', '2026-08-02T10:11:12Z')`)
        await start(host.session)
        expect((await keysOf(host))[EXECUTION]).toBe('2026-08-02T10:11:12Z')
      })
    })

    it('AC-33c: a predecessor whose own backfill failed is upgraded first and backfilled in the same start; the second changes nothing', async () => {
      await withFormer(open, {}, async (host) => {
        await host.exec(message('m1', 's1', 'tx', '2026-08-05 01:02:03.000004+00:00'))
        const first = await start(host.session)
        expect(first.outcomes).toMatchObject({ upgrade: 'done', execution_since: 'done', backfill: 'done' })
        expect(Object.keys(await keysOf(host))).toEqual([THROUGH, CAPTURE, EXECUTION])
        const rows = await dumpRows(host)
        expect((await start(host.session)).outcomes).toEqual(NOTHING_TO_DO)
        expect(await dumpRows(host)).toEqual(rows)
      })
    })

    it('AC-33c: where the end state does not hold, the backfill does not run and writes neither key', async () => {
      await withFormer(open, {}, async (host) => {
        await host.exec(message('m1', 's1', 'tx', '2026-08-05 01:02:03.000004+00:00'))
        const ran: string[] = []
        const { report } = await start(
          failing(host.session, (step) => {
            if (isBackfill(step)) ran.push(step.name)
            return step.name === 'upgrade: begin'
          }),
        )
        expect(report.steps.at(-1)).toEqual({
          step: 'backfill',
          outcome: 'skipped',
          why: '"upgrade" has to succeed first',
          heldBackBy: 'upgrade',
        })
        expect([ran, await keysOf(host)]).toEqual([[], {}])
      })
    })

    it.each([
      ['task_sessions', 'schema'],
      ['task_session_messages', 'backfill'],
      ['kandev_meta', 'execution_since'],
    ])('AC-20: without the host table %s the step %s says so, and nothing is made up', async (table, step) => {
      await withHost(open, async (host) => {
        await host.exec(`DROP TABLE task_session_messages; ${table === 'task_session_messages' ? '' : `DROP TABLE ${table}`}`)
        const { warnings, report } = await start(host.session)
        expect(warnings[0]).toMatchObject({ step, code: 'missing-table', error: expect.stringContaining(table) })
        expect(report.steps).toHaveLength(6)
      })
    })

    // Catches: a table that is not created because of keys it does not need, and a report that blames the connection.
    it('AC-17 AC-20: a kandev_meta that cannot be read costs only the steps that need keys, and they say why', async () => {
      await withHost(open, async (host) => {
        await host.exec('ALTER TABLE kandev_meta RENAME COLUMN value TO other')
        const { outcomes, warnings } = await start(host.session)
        expect(outcomes).toEqual({ ...NOTHING_TO_DO, schema: 'done', execution_since: 'failed', backfill: 'failed' })
        const said = expect.stringMatching(/column.*value/)
        expect(warnings).toMatchObject([
          { step: 'execution_since', error: said },
          { step: 'backfill', error: said },
        ])
        await host.exec('ALTER TABLE kandev_meta RENAME COLUMN other TO value')
        expect((await start(host.session)).outcomes).toEqual({ ...NOTHING_TO_DO, execution_since: 'done', backfill: 'done' })
      })
    })

    it('AC-20: a catalogue that cannot be read ends the activation, and no connection is blamed', async () => {
      await withHost(open, async (host) => {
        const { report } = await start(failing(host.session, ({ name }) => name.includes('observe')))
        expect(report.steps.map(({ outcome }) => outcome)).toEqual(['failed', ...Array.from({ length: 5 }, () => 'skipped')])
        expect(report.steps[1]).toMatchObject({ heldBackBy: 'schema', why: 'the activation ended at "schema"' })
      })
    })

    it('AC-20: a log that throws, and a clock that throws, break nothing', async () => {
      await withHost(open, async (host) => {
        const { activate } = await import('../../../src/subagents/activate.ts')
        const log = {
          warn: () => {
            throw new RangeError('the log is full')
          },
        }
        const clock = {
          now: () => {
            throw new RangeError('no time')
          },
        }
        const report = await activate(host.session, { log, clock })
        expect(report.steps.map(({ outcome }) => outcome)).toEqual([
          'done',
          'already_done',
          'already_done',
          'already_done',
          'failed',
          'failed',
        ])
        // Catches: a report that blames the connection for what the clock did.
        for (const step of report.steps.slice(-2)) {
          expect(step).toMatchObject({ error: { code: 'usage', message: 'The clock failed: no time' } })
        }
        expect(await keysOf(host)).toEqual({})
      })
    })
  })
}
