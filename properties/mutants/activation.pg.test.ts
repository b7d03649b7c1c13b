/** The mistakes that only several connections show, each caught on PostgreSQL by the check that the right activation passes. */
import { afterAll, describe, expect, it } from 'vitest'
import type { Session } from '../../src/adapters/session.ts'
import { start } from '../../test/support/activate.ts'
import { toInstant } from '../../test/support/activation-internals.ts'
import { HOST_SCHEMA, type HostDatabase, keysOf, message, postgresDatabases } from '../../test/support/host-database.ts'
import { postgresUrls } from '../../test/support/postgres.ts'
import { wrapping } from '../../test/support/stepping.ts'
import { pausing } from '../oracle/pausing.ts'
import { maxAfterInsert, withoutLock } from './activation.ts'

const RIGHT = (session: Session): Session => session

const prepare = async (host: HostDatabase): Promise<void> => {
  await host.exec(`${HOST_SCHEMA} INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1');`)
  await host.exec(message('m0', 's1', 't0', '2026-08-05 01:02:03+00:00'))
}

describe.each(postgresUrls())('several connections to PostgreSQL $version', ({ version }) => {
  const { open, drop } = postgresDatabases(version)
  afterAll(drop)

  /** A message commits before each step of one activation, each newer than the last: is everything up to the key covered? */
  const coversWhatItClaims = async (plant: (session: Session) => Session): Promise<boolean> => {
    const host = await open()
    await prepare(host)
    let at = 0
    const commit = async (): Promise<void> => {
      at++
      await host.exec(message(`m${at}`, 's1', `t${at}`, `2026-08-06 01:02:03.${String(at).padStart(6, '0')}+00:00`))
    }
    await start(plant(pausing(host.session, commit)))
    const through = toInstant((await keysOf(host))['subagent_context_backfill_through'] ?? '') ?? ''
    const uncovered = await host.rows(`SELECT m.id FROM task_session_messages m
      WHERE to_char(m.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') <= '${through}'
      AND NOT EXISTS (SELECT 1 FROM task_session_subagents s WHERE s.tool_call_id = 't' || substr(m.id, 2))`)
    await host.close()
    expect(at).toBeGreaterThan(20)
    expect(through > '2026-08-05').toBe(true)
    return uncovered.length === 0
  }

  it('AC-24d: backfill_through names nothing that the backfill did not cover, whatever commits meanwhile', async () => {
    expect(await coversWhatItClaims(RIGHT)).toBe(true)
  })

  it('AC-24d: MAX after the insert is caught', async () => {
    expect(await coversWhatItClaims(maxAfterInsert)).toBe(false)
  })

  const CONNECTIONS = 6
  const ROUNDS = 20

  /** True when in some round a process failed, or two did the same step. */
  const goesWrong = async (plant: (session: Session) => Session): Promise<boolean> => {
    for (let round = 0; round < ROUNDS; round++) {
      const host = await open()
      await prepare(host)
      const sessions = Array.from({ length: CONNECTIONS }, () => plant(host.another()))
      const started = await Promise.all(sessions.map((session) => start(session)))
      await host.close()
      const done = started.filter(({ outcomes }) => outcomes.schema === 'done' || outcomes.backfill === 'done')
      if (started.some(({ warnings }) => warnings.length > 0) || done.length > 2) return true
    }
    return false
  }

  it('AC-18: no lock around activation is caught', { timeout: 120_000 }, async () => {
    expect(await goesWrong(withoutLock)).toBe(true)
  })

  it('AC-18: with the lock nothing goes wrong in as many rounds', { timeout: 120_000 }, async () => {
    expect(await goesWrong((session) => wrapping(session, (program) => program))).toBe(false)
  })
})
