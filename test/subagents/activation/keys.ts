import { describe, expect, it } from 'vitest'
import { failing, isBackfill, NOTHING_TO_DO, start, steppingClock } from '../../support/activate.ts'
import { dumpRows, type HostDatabase, keysOf, message } from '../../support/host-database.ts'
import { watching } from '../../support/stepping.ts'
import { type Open, withFormer, withHost } from './host.ts'

const CAPTURE = 'subagent_context_capture_since'
const THROUGH = 'subagent_context_backfill_through'
const EXECUTION = 'subagent_context_execution_since'

const NEWEST = '2026-08-05 01:02:03.000004+00:00'
const NEWEST_KEY = '2026-08-05T01:02:03.000004000Z'

const withMessages = (open: Open, body: (host: HostDatabase) => Promise<void>): Promise<void> =>
  withHost(open, async (host) => {
    await host.exec(`INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1')`)
    await host.exec(message('m1', 's1', 't1', '2026-08-04 01:02:03+00:00'))
    await host.exec(message('m2', 's1', 't2', NEWEST))
    await body(host)
  })

const setKey = (key: string, value: string): string => `INSERT INTO kandev_meta (key, value) VALUES ('${key}', '${value}');`

export const keys = (open: Open): void => {
  describe('the keys', () => {
    it('AC-24: all three are RFC 3339 with nine digits, and round-trip', async () => {
      await withMessages(open, async (host) => {
        const clock = steppingClock()
        await start(host.session, clock)
        const stored = await keysOf(host)
        expect(Object.keys(stored)).toEqual([THROUGH, CAPTURE, EXECUTION])
        for (const value of Object.values(stored)) expect(value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
        expect(stored).toEqual({
          [EXECUTION]: clock.told[0]?.replace('Z', '000Z'),
          [CAPTURE]: clock.told[1]?.replace('Z', '000Z'),
          [THROUGH]: NEWEST_KEY,
        })
      })
    })

    it('AC-24: the system clock resolves microseconds, so that no key is cut to the millisecond', async () => {
      await withMessages(open, async (host) => {
        const before = new Date()
        await start(host.session)
        const stored = await keysOf(host)
        expect(Date.parse(stored[CAPTURE] ?? '')).toBeGreaterThanOrEqual(before.getTime())
        expect(stored[CAPTURE]?.slice(23)).not.toBe('000000Z') // kills a key cut at milliseconds: one in a thousand would pass by chance
      })
    })

    it("AC-24f: where nothing matched, backfill_through is '' and nobody reads it as an instant", async () => {
      await withHost(open, async (host) => {
        await start(host.session)
        expect((await keysOf(host))[THROUGH]).toBe('')
        const { outcomes, warnings } = await start(host.session)
        expect([outcomes, warnings]).toEqual([NOTHING_TO_DO, []])
        expect((await keysOf(host))[THROUGH]).toBe('')
      })
    })

    it('AC-24 point 4: capture_since is sampled after the insert and before the first key write, never at the start', async () => {
      await withMessages(open, async (host) => {
        const trace: string[] = []
        const clock = steppingClock()
        const session = watching(
          host.session,
          ({ name, kind }) => void trace.push(kind === 'query' || kind === 'script' ? name : kind),
        )
        const now = (): string => {
          trace.push('sample')
          return clock.now()
        }
        await start(session, { now })
        const [, sample] = trace.flatMap((name, at) => (name === 'sample' ? [at] : []))
        const last = trace.findLastIndex((name) => name.startsWith('backfill'))
        const [, writes] = trace.flatMap((name, at) => (name === 'upsert kandev_meta' ? [at] : []))
        expect(last).toBeLessThan(sample ?? -1)
        expect(sample).toBeLessThan(writes ?? -1)
        // And all of it in one transaction.
        expect(
          trace.slice(trace.lastIndexOf('begin'), trace.lastIndexOf('commit')).filter((name) => name === 'sample'),
        ).toHaveLength(1)
      })
    })

    it('AC-24 point 5: keys of the former build, at second precision, stay byte for byte through two starts', async () => {
      await withMessages(open, async (host) => {
        await host.exec(setKey(CAPTURE, '2026-08-02T10:11:12Z') + setKey(THROUGH, '2026-08-01T01:01:01Z'))
        await start(host.session)
        await start(host.session)
        expect(await keysOf(host)).toMatchObject({ [CAPTURE]: '2026-08-02T10:11:12Z', [THROUGH]: '2026-08-01T01:01:01Z' })
        // Both were there: the guard holds, and nothing was backfilled.
        expect(await host.rows(`SELECT COUNT(*) FROM task_session_subagents`)).toEqual([['0']])
      })
    })

    it('AC-24: after a retry backfill_through is the same, although the retry inserts nothing', async () => {
      await withMessages(open, async (host) => {
        await start(host.session)
        await host.exec(`DELETE FROM kandev_meta WHERE key = '${CAPTURE}'`)
        const rows = (await dumpRows(host))[0]
        await start(host.session)
        expect((await keysOf(host))[THROUGH]).toBe(NEWEST_KEY)
        expect((await dumpRows(host))[0]).toEqual(rows)
      })
    })

    it('AC-24: after a retry that inserts nothing and finds both keys gone, backfill_through still names the newest message', async () => {
      await withMessages(open, async (host) => {
        await start(host.session)
        await host.exec(`DELETE FROM kandev_meta WHERE key IN ('${CAPTURE}', '${THROUGH}')`)
        await start(host.session)
        expect((await keysOf(host))[THROUGH]).toBe(NEWEST_KEY)
      })
    })

    it.each([
      [CAPTURE, THROUGH],
      [THROUGH, CAPTURE],
    ])('AC-24d: %s alone, as the former build could leave it: %s is added, the present one stays', async (present, missing) => {
      await withMessages(open, async (host) => {
        await host.exec(setKey(present, '2026-08-02T10:11:12Z'))
        expect((await start(host.session)).outcomes).toMatchObject({ backfill: 'done' })
        const stored = await keysOf(host)
        expect(stored[present]).toBe('2026-08-02T10:11:12Z')
        expect(stored[missing]).toMatch(missing === THROUGH ? NEWEST_KEY : /\.\d{9}Z$/)
        expect(await host.rows(`SELECT COUNT(*) FROM task_session_subagents`)).toEqual([['2']])
      })
    })

    it('AC-24d: when the second key write fails, neither key and no row is there', async () => {
      await withMessages(open, async (host) => {
        let writes = 0
        const isSecond = ({ name }: { readonly name: string }): boolean => name === 'upsert kandev_meta' && ++writes === 3
        const { outcomes } = await start(failing(host.session, isSecond))
        expect(outcomes).toMatchObject({ execution_since: 'done', backfill: 'failed' })
        expect(Object.keys(await keysOf(host))).toEqual([EXECUTION])
        expect(await host.rows(`SELECT COUNT(*) FROM task_session_subagents`)).toEqual([['0']])
      })
    })
  })

  describe('AC-24c: the four states', () => {
    const present = async (host: HostDatabase): Promise<readonly [boolean, boolean]> => {
      const stored = await keysOf(host)
      return [CAPTURE in stored, EXECUTION in stored]
    }

    it('AC-24c: both present on a database where everything succeeded', async () => {
      await withMessages(open, async (host) => {
        await start(host.session)
        expect(await present(host)).toEqual([true, true])
      })
    })

    it('AC-24b AC-24c: capture_since alone, where the former build captured and the upgrade fails', async () => {
      await withFormer(open, {}, async (host) => {
        await host.exec(setKey(CAPTURE, '2026-08-02T10:11:12Z') + setKey(THROUGH, ''))
        const { outcomes } = await start(failing(host.session, ({ name }) => name === 'look for rows that share a key'))
        expect(outcomes).toMatchObject({ upgrade: 'failed', execution_since: 'skipped', backfill: 'already_done' })
        expect(await present(host)).toEqual([true, false])
      })
    })

    it('AC-24c AC-28a: execution_since alone, where the backfill fails', async () => {
      await withMessages(open, async (host) => {
        await start(failing(host.session, isBackfill))
        expect(await present(host)).toEqual([false, true])
      })
    })

    it('AC-24c: neither, where the upgrade fails on a database without keys', async () => {
      await withFormer(open, {}, async (host) => {
        const { outcomes } = await start(failing(host.session, ({ name }) => name === 'look for rows that share a key'))
        expect(outcomes).toMatchObject({ upgrade: 'failed', execution_since: 'skipped', backfill: 'skipped' })
        expect(await present(host)).toEqual([false, false])
      })
    })
  })
}
