import pg from 'pg'
import { pgSession } from '../../src/adapters/pg.ts'
import { freshDatabase, postgresUrls } from '../support/postgres.ts'
import { openTableTests } from './open.ts'

for (const { version } of postgresUrls()) {
  openTableTests(`openTable on PostgreSQL ${version}`, async () => {
    const { url, drop } = await freshDatabase(version)
    const pool = new pg.Pool({ connectionString: url })
    return { session: pgSession(pool), close: () => pool.end().then(drop) }
  })
}
