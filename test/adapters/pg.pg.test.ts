import pg from 'pg'
import { type PgOptions, pgClientSession, pgSession } from '../../src/adapters/pg.ts'
import { conformance } from '../conformance/conformance.ts'
import { pooledConnections, singleConnection } from '../conformance/postgres-connections.ts'
import { around, SHORT_LOCKS } from '../conformance/postgres-harness.ts'
import { postgresOnly } from '../conformance/postgres-only.ts'
import { type PostgresVersion, postgresUrls } from '../support/postgres.ts'

const pooled =
  (version: PostgresVersion, options: PgOptions = {}, max = 10) =>
  async () => {
    let pool = new pg.Pool()
    const harness = await around(version, async (connectionString) => {
      pool = new pg.Pool({ connectionString, max, ...SHORT_LOCKS }).on('error', () => undefined)
      return { session: pgSession(pool, options), end: () => pool.end() }
    })
    return { ...harness, pool }
  }

const single = (version: PostgresVersion) => async () => {
  let client = new pg.Client()
  const harness = await around(version, async (connectionString) => {
    client = new pg.Client({ connectionString, ...SHORT_LOCKS })
    await client.connect()
    return { session: pgClientSession(client), end: () => client.end() }
  })
  return { ...harness, client }
}

for (const { version } of postgresUrls()) {
  conformance(`pg ${version}, pool`, pooled(version))
  conformance(`pg ${version}, pool without prepared statements`, pooled(version, { prepare: false }))
  conformance(`pg ${version}, client`, single(version))
  postgresOnly(`pg ${version} pool`, pooled(version))
  postgresOnly(`pg ${version} client`, single(version))
  pooledConnections(`pg ${version}, pool`, pooled(version, {}, 1))
  singleConnection(`pg ${version}, client`, single(version))
}
