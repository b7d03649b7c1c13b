import { scratch } from '../support/cli.ts'
import { migrateCommands } from './migrate.ts'

const { path } = scratch()
let databases = 0
migrateCommands('SQLite', async () => ({ url: `sqlite:${path(`${databases++}.db`)}`, drop: async () => undefined }))
