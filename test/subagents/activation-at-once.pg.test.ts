import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { pgSession } from '../../src/adapters/pg.ts'
import type { Session } from '../../src/adapters/session.ts'
import { start } from '../support/activate.ts'
import { type HostDatabase, postgresDatabases } from '../support/host-database.ts'
import { postgresUrls } from '../support/postgres.ts'
import { expectOneOutcome, prepare, STARTS } from './activation/at-once.ts'
import { freshSchema, indexesOf } from './activation/host.ts'

const CONNECTIONS = 6
const ROUNDS = 6

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
