import { afterAll } from 'vitest'
import { postgresDatabases } from '../support/host-database.ts'
import { postgresUrls } from '../support/postgres.ts'
import { activationContract } from './activation/index.ts'

for (const { version } of postgresUrls()) {
  const databases = postgresDatabases(version)
  afterAll(databases.drop)
  activationContract(`PostgreSQL ${version}`, databases.open)
}
