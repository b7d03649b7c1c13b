/** Real databases behind our own adapters, for the oracle to compare with the reducer. */
import Database from 'better-sqlite3'
import pg from 'pg'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { pgSession } from '../../src/adapters/pg.ts'
import type { Program, Session } from '../../src/index.ts'
import { freshDatabase, postgresUrls } from '../../test/support/postgres.ts'

export interface LiveDatabase {
  /** For stories: `sqlite`, `postgres 18`. */
  readonly name: string
  readonly session: Session
  readonly close: () => Promise<void>
}

/** An empty SQLite database in memory. */
export const openSqlite = (): LiveDatabase => {
  const db = new Database(':memory:')
  return { name: 'sqlite', session: sqliteSession(db), close: async () => void db.close() }
}

/** A database of its own on each PostgreSQL server of this run, newest version last. */
export const openPostgres = async (): Promise<readonly LiveDatabase[]> =>
  Promise.all(
    postgresUrls().map(async ({ version }) => {
      const { url, drop } = await freshDatabase(version)
      const pool = new pg.Pool({ connectionString: url, max: 1 }) // one: what a run prepares, the next one reuses
      pool.on('error', () => undefined) // an idle connection that breaks is the next query's error
      const close = async (): Promise<void> => {
        await pool.end()
        await drop()
      }
      return { name: `postgres ${version}`, session: pgSession(pool), close }
    }),
  )

/** Runs a body in a transaction that never commits, so that any number of runs leave the database as it was. */
export function* rolledBack<T>(name: string, body: () => Program<T>): Program<T> {
  yield { kind: 'begin', name: `${name}: begin` }
  try {
    return yield* body()
  } finally {
    yield { kind: 'rollback', name: `${name}: rollback` }
  }
}
