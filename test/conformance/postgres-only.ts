import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { readInstant } from '../../src/adapters/decode.ts'
import { attempt, BrokenConnection, execute, type Program, query, script, transaction } from '../../src/adapters/program.ts'
import { run } from '../../src/adapters/session.ts'
import { failure, identity, insert, item, itemIds, useHarness } from './harness.ts'
import { hold, letGo, type PostgresHarness, waitForTest, waiting } from './postgres-harness.ts'

/** What only PostgreSQL can show: its types as text, failed transactions, serialization, deadlock. */
export const postgresOnly = (name: string, makeSession: () => Promise<PostgresHarness>): void => {
  describe(`PostgreSQL alone, ${name}`, () => {
    const harness = useHarness(makeSession)

    // Catches: Date (three digits), local time for naive timestamps, and a decoder that knows only UTC's spelling.
    it.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham'])(
      'hazard 41, hazard 42: instants keep six digits in time zone %s, naive or not',
      async (zone) => {
        const { session } = harness()
        const instant = '2026-08-03T15:32:20.123456Z'
        const program = transaction('zoned', function* () {
          yield* script('zone', `set local time zone '${zone}'`)
          yield* script('table', 'create table moments (aware timestamptz, naive timestamp)')
          yield* execute('insert', "insert into moments values ($1::timestamptz, $1::timestamptz at time zone 'UTC')", [instant])
          return yield* query('read', 'select aware, naive from moments', [], (row) => [readInstant(row, 0), readInstant(row, 1)])
        })
        expect(await run(session, program)).toEqual([[instant, instant]])
      },
    )

    // Catches: pg's own parsers, or those the host has set for the whole process.
    it('hazard 35: every type arrives as the server’s text, whatever parsers are set for the process', async () => {
      const oids = [20, 16, 1114, 1184, 1700, 3802]
      const before = oids.map((oid) => [oid, pg.types.getTypeParser(oid)] as const)
      for (const oid of oids) pg.types.setTypeParser(oid, () => 'PARSED')
      try {
        const text = `select 1::bigint as a, true as b, '2026-01-01'::timestamp as c, 1.10::numeric as d, '{"a":1}'::jsonb as e, array[1,2] as f, null::bigint as g`
        const want = ['1', 't', '2026-01-01 00:00:00', '1.10', '{"a": 1}', '{1,2}', null]
        expect(await run(harness().session, query('types', text, [], identity))).toEqual([want])
      } finally {
        for (const [oid, parser] of before) pg.types.setTypeParser(oid, parser)
      }
    })

    it('hazard 37: U+0000 is an unsupported value', async () => {
      const error = await failure(harness().session, insert('postgres', 'items', 'a\0b', null, null, null))
      expect(error).toMatchObject({ code: 'unsupported-value', details: { sqlState: '22021' } })
    })

    it('adapter: a foreign key names constraint, table, column and value; a trigger that raises is a constraint error', async () => {
      const { session, raw } = harness()
      expect(await failure(session, insert('postgres', 'children', 'c', 'nobody'))).toMatchObject({
        details: { constraint: 'children_parent_fkey', table: 'children', column: 'parent', value: 'nobody', sqlState: '23503' },
      })
      await raw.query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no items today'; end $$;
        create trigger refuse before insert on items for each row execute function refuse()`)
      expect(await failure(session, item('postgres', 'a'))).toMatchObject({ code: 'constraint', details: { sqlState: 'P0001' } })
    })

    it('Divergence: keeping a parent by RESTRICT is 23001 or 23503, a foreign-key error in every version', async () => {
      const { session, raw } = harness()
      await raw.query(
        "create table kept (id text references parents on delete restrict); insert into parents values ('p'); insert into kept values ('p')",
      )
      expect((await failure(session, execute('delete', 'delete from parents', []))).code).toBe('foreign-key')
    })

    it('Divergence: PostgreSQL undoes a script that fails', async () => {
      const { session, other } = harness()
      await failure(session, script('half', "insert into items (id) values ('a'); insert into items (id) values ('a')"))
      expect(await itemIds(other)).toEqual([])
    })

    // Catches: COMMIT's tag not being looked at: the server answers ROLLBACK and no error.
    it('Divergence: in PostgreSQL a transaction that failed softly cannot be committed', async () => {
      const { session, other } = harness()
      const program = transaction('soft', function* (): Program<string> {
        yield* item('postgres', 'a')
        yield* attempt(item('postgres', 'a'))
        return 'pretends to be done'
      })
      expect((await failure(session, program)).message).toContain('rolled back')
      expect(await itemIds(other)).toEqual([])
    })

    it('hazard 46: a write over another’s newer commit is a serialization failure, retryable', async () => {
      const { session, raw } = harness()
      await run(session, item('postgres', 'a'))
      await hold(raw)
      const program = transaction('late', function* (): Program<number> {
        yield* script('isolation', 'set transaction isolation level repeatable read')
        yield* query('snapshot', 'select * from items', [], identity)
        yield* waitForTest()
        return yield* execute('update', 'update items set n = 1', [])
      })
      const failed = failure(session, program)
      await waiting(raw, 1)
      await raw.query('update items set n = 2')
      await letGo(raw)
      expect(await failed).toMatchObject({ code: 'serialization', isRetryable: true })
    })

    it('hazard 47: of two writers that wait for each other one gets a deadlock error, retryable, and one commits', async () => {
      const { session, other, raw } = harness()
      await run(session, item('postgres', 'a'))
      await run(session, item('postgres', 'b'))
      await hold(raw)
      const update = (id: string): Program<number> => execute(`update ${id}`, 'update items set n = 1 where id = $1', [id])
      const both = (first: string, second: string): Program<number> =>
        transaction('both', function* () {
          yield* update(first)
          yield* waitForTest()
          return yield* update(second)
        })
      const settled = Promise.allSettled([run(session, both('a', 'b')), run(other, both('b', 'a'))])
      await waiting(raw, 2)
      await letGo(raw)
      const results = await settled
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const lost = results.find((result) => result.status === 'rejected')
      expect(lost?.reason).toMatchObject({ code: 'deadlock', isRetryable: true })
    })

    it('adapter: a connection that dies inside a transaction breaks it; nothing of it is stored', async () => {
      const { session, other, raw } = harness()
      await hold(raw)
      const program = transaction('killed', function* (): Program<void> {
        yield* item('postgres', 'a')
        yield* waitForTest()
      })
      const failed = failure(session, program)
      const [victim] = await waiting(raw, 1)
      await raw.query('select pg_terminate_backend($1)', [victim])
      expect(await failed).toBeInstanceOf(BrokenConnection)
      await letGo(raw)
      expect(await itemIds(other)).toEqual([])
    })

    it('adapter: many runs at once, each a transaction, all commit, and the driver has nothing to warn of', async () => {
      const { session } = harness()
      const warnings: string[] = []
      const listen = (warning: Error): number => warnings.push(warning.message)
      process.on('warning', listen)
      const pair = (k: number): Program<number> =>
        transaction('pair', function* () {
          yield* item('postgres', `${k}a`)
          const seen = yield* query('backend', 'select txid_current() as id', [], identity)
          yield* item('postgres', `${k}b`)
          return seen.length
        })
      const results = await Promise.all(Array.from({ length: 30 }, (_, k) => run(session, pair(k))))
      await sleep(1)
      process.off('warning', listen)
      expect(results).toEqual(Array(30).fill(1))
      expect(await itemIds(session)).toHaveLength(60)
      expect(warnings).toEqual([])
    })

    it('adapter: one failing run among many at once fails alone', async () => {
      const { session } = harness()
      const results = await Promise.allSettled(
        ['a', 'b', 'b', 'c'].map((id) =>
          run(
            session,
            transaction(id, () => item('postgres', id)),
          ),
        ),
      )
      expect(results.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1)
      expect(await itemIds(session)).toEqual(['a', 'b', 'c'])
    })
  })
}
