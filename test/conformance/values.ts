import { expect, it } from 'vitest'
import { readBool, readInstant, readInt64, readText } from '../../src/adapters/decode.ts'
import { execute, query, runMany, type SqlValue, script } from '../../src/adapters/program.ts'
import { run } from '../../src/adapters/session.ts'
import { failure, type Harness, identity, insert, insertSql, itemIds, sql, useHarness } from './harness.ts'

const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

export const valueBehaviour = (makeSession: () => Promise<Harness>): void => {
  const harness = useHarness(makeSession)

  // Catches: reading INTEGER or BIGINT as a double, which gives …992 for 2^53+1.
  it.each([INT64_MAX, INT64_MIN, 2n ** 53n + 1n, 2n ** 31n, 0n, -1n])('hazard 34: int64 %s keeps every digit', async (n) => {
    const { session } = harness()
    await run(session, insert(session.dialect, 'items', 'a', n, null, null))
    const read = query('read', sql(session.dialect, 'select n from items where n = ?'), [n], (row) => readInt64(row, 0))
    expect(await run(session, read)).toEqual([n])
  })

  // Catches: a prepared and an unprepared path that bind or decode differently, text built into the SQL, and '' taken for NULL.
  it.each(['', "it's", 'a"b', '$1 ? :x \\', '日本語 🎉', '\uFFFD', 'line\nline', '5.0', 'null', 'x'.repeat(100_000)])(
    'adapter: text %j arrives as it was sent',
    async (text) => {
      const { session } = harness()
      await run(session, insert(session.dialect, 'items', 'a', null, text, null))
      await run(session, query('unprepared', insertSql(session.dialect, 'items', 4), ['b', null, text, null], identity))
      const read = query('read', 'select note from items order by id', [], (row) => readText(row, 0))
      expect(await run(session, read)).toEqual([text, text])
    },
  )

  it('hazard 32: a bool bound as bigint is read as a bool, and NULL as null', async () => {
    const { session } = harness()
    await run(
      session,
      runMany('items', insertSql(session.dialect, 'items', 4), [
        ['a', null, null, 1n],
        ['b', null, null, 0n],
        ['c', null, null, null],
      ]),
    )
    const read = query('read', 'select flag from items order by id', [], (row) => readBool(row, 0))
    expect(await run(session, read)).toEqual([true, false, null])
  })

  it('hazard 41: an instant keeps its microseconds, whatever spelling is stored', async () => {
    const { session } = harness()
    const spellings = ['2026-08-03T15:32:20.123456Z', '2026-08-03 15:32:20.123456+00:00', '2026-08-03 21:02:20.123456+05:30']
    await run(
      session,
      runMany(
        'items',
        insertSql(session.dialect, 'items', 4),
        spellings.map((at, k) => [`${k}`, null, at, null]),
      ),
    )
    const read = query('read', 'select note from items order by id', [], (row) => readInstant(row, 0))
    expect(await run(session, read)).toEqual(Array(3).fill('2026-08-03T15:32:20.123456Z'))
  })

  it('adapter: changes counts the rows written, with RETURNING or without, and a read changes none', async () => {
    const { session } = harness()
    const { dialect } = session
    expect(await run(session, execute('two', "insert into items (id) values ('a'), ('b')", []))).toBe(2)
    expect(await run(session, execute('returning', "insert into items (id) values ('c') returning id", []))).toBe(1)
    expect(await run(session, execute('update', sql(dialect, 'update items set n = ?'), [1n]))).toBe(3)
    expect(await run(session, execute('none', sql(dialect, 'delete from items where id = ?'), ['nobody']))).toBe(0)
    expect(await run(session, execute('read', 'select id from items', []))).toBe(0)
    const returned = query('rows', sql(dialect, 'update items set n = ? where id = ? returning id, n'), [7n, 'a'], (row) => [
      readText(row, 0),
      readInt64(row, 1),
    ])
    expect(await run(session, returned)).toEqual([['a', 7n]])
  })

  // Catches: a loop that stops early, binds the rows as one list, or drops the count.
  it('adapter: runMany runs one statement for each row and counts them; no rows change nothing', async () => {
    const { session } = harness()
    const rows = Array.from({ length: 25 }, (_, k): SqlValue[] => [`id${k}`, BigInt(k), null, null])
    expect(await run(session, runMany('items', insertSql(session.dialect, 'items', 4), rows))).toBe(25)
    expect(await itemIds(session)).toHaveLength(25)
    expect(await run(session, runMany('items', insertSql(session.dialect, 'items', 4), []))).toBe(0)
  })

  it('adapter: a script holds several statements', async () => {
    const { session } = harness()
    await run(session, script('two', "insert into items (id) values ('a;b'); insert into items (id) values ('c')"))
    expect(await itemIds(session)).toEqual(['a;b', 'c'])
  })

  // Catches: binding what the types forbid, each in its driver's own way (5 becomes '5.0' in SQLite: hazard 33).
  it.each([5, true, undefined, new Date(0), Number.NaN, 2n ** 63n, -(2n ** 63n) - 1n])(
    'hazard 33: %s is refused before it is sent, with the name of the step and the place of the parameter',
    async (value) => {
      const { session } = harness()
      const error = await failure(session, insert(session.dialect, 'items', 'a', value as SqlValue, null, null))
      expect(error.code).toBe('unsupported-value')
      expect(error.message).toContain('"insert items" failed: parameter 2')
      expect(await itemIds(session)).toEqual([])
    },
  )

  it('adapter: a program runs once; a second run is refused instead of doing nothing', async () => {
    const { session } = harness()
    const program = insert(session.dialect, 'items', 'a', null, null, null)
    await run(session, program)
    const error = await failure(session, program)
    expect(error.code).toBe('usage')
    expect(error.message).toContain('run already')
  })
}
