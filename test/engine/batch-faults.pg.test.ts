import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { pgSession } from '../../src/adapters/pg.ts'
import { freshDatabase, postgresUrls } from '../support/postgres.ts'
import { batchFaults } from './batch-faults.ts'

describe.each(postgresUrls())('batches and faults on PostgreSQL $version', ({ version }) => {
  let pool: pg.Pool
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await freshDatabase(version)
    pool = new pg.Pool({ connectionString: database.url, max: 2 })
    pool.on('error', () => undefined)
    drop = database.drop
  })
  afterAll(async () => {
    await pool.end()
    await drop()
  })
  batchFaults(() => pgSession(pool))
})
