import { postgresUrls } from '../support/postgres.ts'
import { openPostgres } from './live/harness.ts'
import { livePath } from './live/index.ts'

for (const { version } of postgresUrls()) livePath(`PostgreSQL ${version}`, openPostgres(version))
