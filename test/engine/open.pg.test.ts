import pg from 'pg'
import { expect, it } from 'vitest'
import { pgSession } from '../../src/adapters/pg.ts'
import { defineContract, key, openTable } from '../../src/index.ts'
import { freshDatabase, postgresUrls } from '../support/postgres.ts'
import { openTableTests } from './open.ts'

/** Dropping the database ends connections that are just being closed, which is nobody's failure. */
const newPool = (url: string, max = 10): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, max })
  pool.on('error', () => undefined)
  return pool
}

for (const { version } of postgresUrls()) {
  openTableTests(`openTable on PostgreSQL ${version}`, async () => {
    const { url, drop } = await freshDatabase(version)
    const pool = newPool(url)
    return { session: pgSession(pool), close: () => pool.end().then(drop) }
  })
}

// Catches: `CREATE TABLE IF NOT EXISTS` without a lock, which two connections at once fail on a unique index of the catalogue.
it('hazard 46: create() of several processes at once succeeds for all of them', async () => {
  const contract = defineContract({ table: 'at once', key: ['k'], columns: { k: { type: 'text', rule: key() } } })
  for (const { version } of postgresUrls()) {
    const { url, drop } = await freshDatabase(version)
    const pools = Array.from({ length: 6 }, () => newPool(url, 1))
    for (let round = 0; round < 5; round++) {
      const created = await Promise.allSettled(pools.map((pool) => openTable(pgSession(pool), contract).create()))
      expect(created.map(({ status }) => status)).toEqual(pools.map(() => 'fulfilled'))
      await pools[0]?.query('DROP TABLE "at once"')
    }
    await Promise.all(pools.map((pool) => pool.end()))
    await drop()
  }
})
