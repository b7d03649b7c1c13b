import { openSqliteFile } from '../support/host-database.ts'
import { backfillContract } from './backfill/index.ts'

backfillContract('SQLite', openSqliteFile)
