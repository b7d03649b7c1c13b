import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { pgSession } from '../../src/adapters/pg.ts'
import { run } from '../../src/adapters/session.ts'
import { freshDatabase, postgresUrls } from '../support/postgres.ts'
import { queryPlans, rowsOf } from './query-plans.ts'

describe.each(postgresUrls())('query plans on PostgreSQL $version', ({ version }) => {
  let pool: pg.Pool
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await freshDatabase(version)
    pool = new pg.Pool({ connectionString: database.url, max: 1 })
    pool.on('error', () => undefined)
    drop = database.drop
  })
  afterAll(async () => {
    await pool.end()
    await drop()
  })
  queryPlans(
    async () => pgSession(pool),
    async (session, sql, params) => (await run(session, rowsOf(`EXPLAIN ${sql}`, params))).map((row) => String(row[0])).join('\n'),
  )
})
