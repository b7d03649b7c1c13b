import { openSqliteFile } from '../support/host-database.ts'
import { activationContract } from './activation/index.ts'

activationContract('SQLite', openSqliteFile)
