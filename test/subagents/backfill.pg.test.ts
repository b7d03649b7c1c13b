import { afterAll } from 'vitest'
import { postgresDatabases } from '../support/host-database.ts'
import { postgresUrls } from '../support/postgres.ts'
import { backfillContract } from './backfill/index.ts'
import { serverSettings } from './backfill/server-settings.ts'

for (const { version } of postgresUrls()) {
  const databases = postgresDatabases(version)
  afterAll(databases.drop)
  backfillContract(`PostgreSQL ${version}`, databases.open)
  serverSettings(`PostgreSQL ${version}`, databases.open)
}
