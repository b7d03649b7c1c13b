import pg from 'pg'
import type { PgOptions } from '../../src/adapters/pg.ts'
import { pgClientSession, pgSession } from '../../src/adapters/pg.ts'
import type { AsyncSession } from '../../src/adapters/session.ts'
import { conformance } from '../conformance/conformance.ts'
import { pooledConnections, singleConnection } from '../conformance/postgres-connections.ts'
import type { PostgresHarness } from '../conformance/postgres-harness.ts'
import { postgresOnly } from '../conformance/postgres-only.ts'
import { freshDatabase, type PostgresVersion, postgresUrls } from '../support/postgres.ts'

const LOCKS = { lock_timeout: 100 }

/** Everything a test needs around the session under test; `end` closes what that session stands on. */
const around = async (version: PostgresVersion, make: (url: string) => Promise<{ session: AsyncSession; end: () => Promise<void> }>) => {
  const { url, drop } = await freshDatabase(version)
  const raw = new pg.Client({ connectionString: url })
  const pool = new pg.Pool({ connectionString: url, ...LOCKS })
  await raw.connect()
  const { session, ...own } = await make(url)
  const harness: PostgresHarness = {
    raw,
    session,
    other: pgSession(pool),
    async holdLock() {
      await raw.query('begin; lock table items in exclusive mode')
      return async () => void (await raw.query('rollback'))
    },
    async close() {
      await Promise.allSettled([own.end(), pool.end(), raw.end()])
      await drop()
    },
  }
  return harness
}

const pooled = (version: PostgresVersion, options: PgOptions = {}, max = 10) => async () => {
  let pool = new pg.Pool()
  const harness = await around(version, async (connectionString) => {
    pool = new pg.Pool({ connectionString, max, ...LOCKS }).on('error', () => undefined)
    return { session: pgSession(pool, options), end: () => pool.end() }
  })
  return { ...harness, pool }
}

const single = (version: PostgresVersion) => async () => {
  let client = new pg.Client()
  const harness = await around(version, async (connectionString) => {
    client = new pg.Client({ connectionString, ...LOCKS })
    await client.connect()
    return { session: pgClientSession(client), end: () => client.end() }
  })
  return { ...harness, client }
}

for (const { version } of postgresUrls()) {
  conformance(`pg ${version}, pool`, pooled(version))
  conformance(`pg ${version}, pool without prepared statements`, pooled(version, { prepare: false }))
  conformance(`pg ${version}, client`, single(version))
  postgresOnly(`pg ${version} alone, pool`, pooled(version))
  postgresOnly(`pg ${version} alone, client`, single(version))
  pooledConnections(`pg ${version}, connections of a pool`, pooled(version, {}, 1))
  singleConnection(`pg ${version}, one connection`, single(version))
}
