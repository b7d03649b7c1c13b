import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { sqliteSession } from '../src/adapters/better-sqlite3.ts'
import { pgSession } from '../src/adapters/pg.ts'
import type { AsyncSession, SyncSession } from '../src/index.ts'
import { initialise, insertSession } from '../src/subagents/index.ts'
import { sessions } from './frames.ts'

/** A SQLite file with the library's tables and the parents of all frames, WAL, synchronous NORMAL, foreign keys on. */
export const withSqlite = async <T>(body: (db: Database.Database, session: SyncSession, file: string) => T | Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'mergelaw-bench-'))
  const file = join(folder, 'bench.db')
  const db = new Database(file)
  try {
    const session = sqliteSession(db)
    session.run(initialise('sqlite'))
    const insert = insertSession('sqlite')
    for (const parent of sessions()) session.run(insert(parent))
    return await body(db, session, file)
  } finally {
    db.close()
    rmSync(folder, { recursive: true })
  }
}

export const POSTGRES_URL = process.env['MERGELAW_TEST_POSTGRES']

/** The same tables in a schema of their own; `parallel query off`, so that one core is compared with one core. */
export const withPostgres = async <T>(
  body: (pool: pg.Pool, session: AsyncSession) => Promise<T>,
  schema = `bench_${process.pid}`,
  keep = false,
): Promise<T> => {
  const admin = new pg.Client({ connectionString: POSTGRES_URL })
  await admin.connect()
  await admin.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  const options = `-c search_path=${schema} -c max_parallel_workers_per_gather=0 -c jit=off`
  const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 1, options })
  try {
    const session = pgSession(pool)
    await session.run(initialise('postgres'))
    const insert = insertSession('postgres')
    for (const parent of sessions()) await session.run(insert(parent))
    return await body(pool, session)
  } finally {
    await pool.end()
    if (!keep) await admin.query(`DROP SCHEMA ${schema} CASCADE`)
    await admin.end()
  }
}
