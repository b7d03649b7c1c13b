import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll } from 'vitest'
import { readInt64 } from '../../src/adapters/decode.ts'
import { pgSession } from '../../src/adapters/pg.ts'
import { type Program, query, script } from '../../src/adapters/program.ts'
import { type AsyncSession, run, type Session } from '../../src/adapters/session.ts'
import { freshDatabase, type PostgresVersion, postgresUrls } from '../support/postgres.ts'
import { type Harness, identity } from './harness.ts'

export interface PostgresHarness extends Harness {
  readonly session: AsyncSession
  readonly other: AsyncSession
  /** A connection of the test's own. */
  readonly raw: pg.Client
}

export const SHORT_LOCKS = { lock_timeout: 100 }

/** One database for each version, emptied before each test: making one costs more than most tests. */
const databases = new Map(postgresUrls().map(({ version }) => [version, freshDatabase(version)]))
afterAll(async () => {
  for (const database of databases.values()) await (await database).drop()
})

/** Everything a test needs around the session under test; `end` closes what that session stands on. */
export const around = async (
  version: PostgresVersion,
  make: (url: string) => Promise<{ session: AsyncSession; end: () => Promise<void> }>,
): Promise<PostgresHarness> => {
  const { url } = await (databases.get(version) ?? freshDatabase(version))
  const raw = new pg.Client({ connectionString: url })
  const pool = new pg.Pool({ connectionString: url, ...SHORT_LOCKS })
  await raw.connect()
  await raw.query('drop schema public cascade; create schema public')
  const { session, end } = await make(url)
  return {
    raw,
    session,
    other: pgSession(pool),
    async holdLock() {
      await raw.query('begin; lock table items in exclusive mode')
      return async () => void (await raw.query('rollback'))
    },
    close: async () => void (await Promise.allSettled([end(), pool.end(), raw.end()])),
  }
}

/** An advisory lock that the test holds: a program waits for it at a known place, and the test sees that it does. */
const GATE = 42

export function* waitForTest(): Program<void> {
  yield* script('no limit', 'set local lock_timeout = 0')
  yield* query('wait', `select pg_advisory_xact_lock_shared(${GATE})`, [], identity)
}

export const hold = async (raw: pg.Client): Promise<void> => void (await raw.query(`select pg_advisory_lock(${GATE})`))
export const letGo = async (raw: pg.Client): Promise<void> => void (await raw.query(`select pg_advisory_unlock(${GATE})`))

/** Resolves with the backends that wait for a lock in this database, once there are `count` of them. */
export const waiting = async (raw: pg.Client, count: number): Promise<readonly number[]> => {
  for (;;) {
    const { rows } = await raw.query<{ pid: number }>(
      'select pid from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()',
    )
    if (rows.length >= count) return rows.map(({ pid }) => pid)
    await sleep(10)
  }
}

/** The server process behind the connection that a run gets. */
export const backend = async (session: Session): Promise<bigint | null | undefined> => {
  const pids = await run(
    session,
    query('pid', 'select pg_backend_pid() as pid', [], (row) => readInt64(row, 0)),
  )
  return pids[0]
}

/** Kills a server process and waits until it is gone. */
export const kill = async (raw: pg.Client, pid: bigint | null | undefined): Promise<void> => {
  await raw.query('select pg_terminate_backend($1, 5000)', [String(pid)])
}
