import { freshDatabase, postgresUrls } from '../support/postgres.ts'
import { migrateCommands } from './migrate.ts'

for (const { version } of postgresUrls()) migrateCommands(`PostgreSQL ${version}`, () => freshDatabase(version))
