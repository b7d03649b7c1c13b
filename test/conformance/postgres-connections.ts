import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { pgSession } from '../../src/adapters/pg.ts'
import { attempt, BrokenConnection, type Program, query, transaction } from '../../src/adapters/program.ts'
import { run } from '../../src/adapters/session.ts'
import { withFault } from '../support/faults.ts'
import { failure, identity, item, itemIds, useHarness } from './harness.ts'
import { backend, hold, kill, letGo, type PostgresHarness, waitForTest, waiting } from './postgres-harness.ts'

/** What becomes of a pool's connections: discarded when they cannot be trusted, kept otherwise. The pool's size is 1 or more. */
export const pooledConnections = (
  name: string,
  makeSession: () => Promise<PostgresHarness & { readonly pool: pg.Pool }>,
): void => {
  describe(`connections of ${name}`, () => {
    const harness = useHarness(makeSession)

    // Catches: a connection kept although its rollback failed.
    it('adapter: a connection whose rollback failed is discarded, one with a plain error is kept', async () => {
      const { session } = harness()
      const first = await backend(session)
      await failure(
        session,
        transaction('plain', () => withFault(item('postgres', 'a'), { at: 0, mode: 'after' })),
      )
      expect(await backend(session)).toBe(first)
      const broken = await failure(
        session,
        withFault(
          transaction('broken', () => item('postgres', 'a')),
          { at: 1, mode: 'connection' },
        ),
      )
      expect(broken).toBeInstanceOf(BrokenConnection)
      expect(await backend(session)).not.toBe(first)
    })

    it('adapter: a connection cut in the middle of a run breaks that run alone; later runs work again', async () => {
      const { session, raw, pool } = harness()
      await hold(raw)
      const failed = failure(session, transaction('cut', waitForTest))
      const [victim] = await waiting(raw, 1)
      await kill(raw, BigInt(victim ?? 0))
      expect(await failed).toMatchObject({ name: 'BrokenConnection', code: 'connection', isRetryable: false })
      await letGo(raw)
      await run(session, item('postgres', 'a'))
      expect(await itemIds(session)).toEqual(['a'])
      expect(pool.idleCount).toBe(pool.totalCount)
    })

    it('adapter: a connection cut while idle harms no later run', async () => {
      const { session, raw, pool } = harness()
      const first = await backend(session)
      await kill(raw, first)
      while (pool.totalCount > 0) await sleep(5)
      await run(session, item('postgres', 'a'))
      expect(await backend(session)).not.toBe(first)
    })

    it('adapter: no listener is left on a connection, however its run ended', async () => {
      const { session, pool } = harness()
      const client = await pool.connect()
      const before = client.listenerCount('error')
      client.release()
      for (let k = 0; k < 15; k++) await run(session, query('read', 'select 1 as one', [], identity))
      await failure(session, query('missing', 'select * from nowhere', [], identity))
      const again = await pool.connect()
      expect([again === client, again.listenerCount('error')]).toEqual([true, before])
      again.release()
    })

    // Catches: the failure to connect thrown past the program, and hidden by the rollback that follows it.
    it('adapter: a server that cannot be reached is the first step’s error, which a program may handle', async () => {
      const pool = new pg.Pool({ host: '127.0.0.1', port: 1 })
      const session = pgSession(pool)
      const error = await failure(
        session,
        transaction('write', () => item('postgres', 'a')),
      )
      expect(error).toMatchObject({ name: 'MergelawError', code: 'connection', details: { step: 'write: begin (connecting)' } })
      expect(error.message).toContain('ECONNREFUSED')
      const soft = await run(session, attempt(item('postgres', 'a')))
      expect(soft).toMatchObject({ left: { code: 'connection' } })
      await pool.end()
      expect((await failure(session, item('postgres', 'a'))).code).toBe('connection')
    })

    it('adapter: statements are prepared once by name, or never where a pooler forbids it', async () => {
      const { session, pool } = harness()
      const unprepared = pgSession(pool, { prepare: false })
      const prepared = (): Program<readonly unknown[]> =>
        query('list', "select statement from pg_prepared_statements where name like 'mergelaw%'", [], (row) => row[0])
      await run(unprepared, item('postgres', 'a'))
      expect(await run(session, prepared())).toEqual([])
      await run(session, item('postgres', 'b'))
      await run(session, item('postgres', 'c'))
      expect(await run(session, prepared())).toEqual(['insert into items values ($1, $2, $3, $4)'])
    })

    it('adapter: prepared statements that the server lost cost one run, with advice, and no more', async () => {
      const { session, pool } = harness()
      await run(session, item('postgres', 'a'))
      await pool.query('deallocate all')
      expect((await failure(session, item('postgres', 'b'))).message).toContain('{ prepare: false }')
      await run(session, item('postgres', 'c'))
      expect(await itemIds(session)).toEqual(['a', 'c'])
    })
  })
}

/** What a session over one client must do besides: one program at a time, the host's transaction left alone. */
export const singleConnection = (
  name: string,
  makeSession: () => Promise<PostgresHarness & { readonly client: pg.Client }>,
): void => {
  describe(`connections of ${name}`, () => {
    const harness = useHarness(makeSession)

    // Catches: two programs' statements mixed on one connection, where one's COMMIT ends the other's transaction.
    it('adapter: runs on one client wait for each other', async () => {
      const { session } = harness()
      const trace: string[] = []
      const traced = (id: string): Program<void> =>
        transaction(id, function* () {
          trace.push(id)
          yield* item('postgres', id)
          trace.push(id)
          if (id === 'b') throw new RangeError('mine')
        })
      await Promise.allSettled(['a', 'b', 'c'].map((id) => run(session, traced(id))))
      expect(trace).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
      expect(await itemIds(session)).toEqual(['a', 'c'])
    })

    it('adapter: the host’s transaction is never touched, and no other can begin in it', async () => {
      const { session, other, client } = harness()
      await client.query('begin')
      await run(session, item('postgres', 'a'))
      expect(
        await failure(
          session,
          transaction('mine', () => item('postgres', 'b')),
        ),
      ).toMatchObject({ code: 'usage' })
      expect(await itemIds(other)).toEqual([])
      await client.query('commit')
      expect(await itemIds(other)).toEqual(['a'])
    })

    it('adapter: a client lost between runs does not end the process; later runs say so', async () => {
      const { session, client, raw } = harness()
      const ended = new Promise((resolve) => client.once('end', resolve))
      await kill(raw, await backend(session))
      await ended
      for (const id of ['a', 'b']) expect((await failure(session, item('postgres', id))).code).toBe('connection')
    })

    it('adapter: a rollback lost with its answer is made up for before the next run', async () => {
      const { session, other } = harness()
      await failure(
        session,
        withFault(
          transaction('broken', () => item('postgres', 'a')),
          { at: 1, mode: 'connection-after' },
        ),
      )
      expect(await itemIds(other)).toEqual([])
      await run(
        session,
        transaction('next', () => item('postgres', 'b')),
      )
      expect(await itemIds(other)).toEqual(['b'])
    })
  })
}
