import Database from 'better-sqlite3'
import { afterAll, describe } from 'vitest'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { run } from '../../src/adapters/session.ts'
import { queryPlans, rowsOf } from './query-plans.ts'

describe('query plans on SQLite', () => {
  const db = new Database(':memory:')
  afterAll(() => void db.close())
  queryPlans(
    async () => sqliteSession(db),
    async (session, sql, params) => {
      const rows = await run(session, rowsOf(`EXPLAIN QUERY PLAN ${sql}`, params))
      return rows.map((row) => String(row[3])).join('\n')
    },
  )
})
