import Database from 'better-sqlite3'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { openTableTests } from './open.ts'

openTableTests('openTable on SQLite', async () => {
  const db = new Database(':memory:')
  return { session: sqliteSession(db), close: async () => void db.close() }
})
