import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { pgSession } from '../../src/adapters/pg.ts'
import { type Program, query } from '../../src/adapters/program.ts'
import { run, type Session } from '../../src/adapters/session.ts'
import { initialise, initialiseHost } from '../../src/subagents/host.ts'
import { start } from '../support/activate.ts'
import { type HostDatabase, postgresDatabases } from '../support/host-database.ts'
import { postgresUrls } from '../support/postgres.ts'
import { expectOneOutcome, prepare, STARTS } from './activation/at-once.ts'
import { freshSchema, indexesOf } from './activation/host.ts'

const CONNECTIONS = 6
const ROUNDS = 6
const INIT_ROUNDS = 12

const connect = (): Program<unknown> => query('connect', 'SELECT 1', [], () => true)

describe.each(postgresUrls())('several processes on one PostgreSQL $version database', ({ version }) => {
  const { open, drop } = postgresDatabases(version)
  afterAll(drop)

  const expectRounds = async (name: string, sessionOf: (host: HostDatabase) => Session): Promise<void> => {
    const fresh = indexesOf(await freshSchema(open))
    for (let round = 0; round < ROUNDS; round++) {
      const host = await open()
      await prepare(host, name)
      const sessions = Array.from({ length: CONNECTIONS }, () => sessionOf(host))
      const started = await Promise.all(sessions.map((session) => start(session)))
      expect(started.flatMap(({ warnings }) => warnings)).toEqual([])
      await expectOneOutcome(
        host,
        name,
        started.map(({ outcomes }) => outcomes),
        fresh,
      )
      await host.close()
    }
  }

  it.each(Object.keys(STARTS))(
    'AC-18 AC-24d: started at once on %s all succeed, each step is done once, and the outcome is that of one',
    async (name) => expectRounds(name, (host) => host.another()),
    120_000,
  )

  // Catches: no lock before `CREATE TABLE`: one of two connections then fails on the catalogue's own unique index.
  it.each([
    ['init', initialise],
    ['init of the host tables', initialiseHost],
  ])(
    'AC-17: %s at once on an empty database succeeds for all, and one creates',
    async (_what, program) => {
      for (let round = 0; round < INIT_ROUNDS; round++) {
        const host = await open()
        const sessions = Array.from({ length: CONNECTIONS }, () => host.another())
        await Promise.all(sessions.map(async (session) => run(session, connect())))
        const done = await Promise.allSettled(sessions.map(async (session) => run(session, program('postgres'))))
        expect(done.filter(({ status }) => status === 'rejected')).toEqual([])
        const created = done.map((each) => (each.status === 'fulfilled' ? each.value.created.length : 0))
        expect(created.filter((count) => count > 0)).toHaveLength(1)
        await host.close()
      }
    },
    120_000,
  )

  it('AC-18 AC-24d: the same where the host has made serializable and a short lock_timeout its defaults', async () => {
    const pools: pg.Pool[] = []
    const sessionOf = (host: HostDatabase): Session => {
      const pool = new pg.Pool({
        connectionString: host.url,
        options: '-c default_transaction_isolation=serializable -c lock_timeout=1ms',
      })
      pool.on('error', () => undefined)
      pools.push(pool)
      return pgSession(pool)
    }
    await expectRounds('the predecessor', sessionOf)
    await Promise.all(pools.map((pool) => pool.end()))
  }, 120_000)
})
