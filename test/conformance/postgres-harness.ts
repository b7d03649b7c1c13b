import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { readInt64 } from '../../src/adapters/decode.ts'
import { type Program, query, script } from '../../src/adapters/program.ts'
import { run, type Session } from '../../src/adapters/session.ts'
import { type Harness, identity } from './harness.ts'

export interface PostgresHarness extends Harness {
  /** A connection of the test's own. */
  readonly raw: pg.Client
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
  const pids = await run(session, query('pid', 'select pg_backend_pid() as pid', [], (row) => readInt64(row, 'pid')))
  return pids[0]
}

/** Kills a server process and waits until it is gone. */
export const kill = async (raw: pg.Client, pid: bigint | null | undefined): Promise<void> => {
  await raw.query('select pg_terminate_backend($1, 5000)', [String(pid)])
}
