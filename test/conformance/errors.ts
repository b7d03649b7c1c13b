import { expect, it } from 'vitest'
import { execute, query, runMany, transaction } from '../../src/adapters/program.ts'
import { run, type Session } from '../../src/adapters/session.ts'
import type { MergelawError } from '../../src/errors/index.ts'
import { failure, type Harness, identity, insert, insertSql, item, itemIds, sql, useHarness } from './harness.ts'

/** What every error must carry: the step by name, what the database said, its own error. */
const expectTold = (error: MergelawError, step: string): void => {
  const cause = error.cause as Error
  expect(error.message).toContain(`"${step}"`)
  expect(cause).toBeInstanceOf(Error)
  expect(error.message).toContain(cause.message)
  expect(error.details['step']).toBe(step)
  expect(error.details['sql']).toEqual(expect.any(String))
}

export const errorBehaviour = (makeSession: () => Promise<Harness>): void => {
  const harness = useHarness(makeSession)
  const failing = async (make: (session: Session) => Promise<MergelawError>): Promise<MergelawError> => make(harness().session)

  it('hazard 13: a second row with a unique key is a constraint error that names the table', async () => {
    const { session } = harness()
    await run(session, item(session.dialect, 'a'))
    const error = await failure(session, item(session.dialect, 'a'))
    expect(error).toMatchObject({ code: 'constraint', isRetryable: false, details: { table: 'items', column: 'id' } })
    expectTold(error, 'insert items')
  })

  it('hazard 4: NULL in a NOT NULL column is a constraint error that names the column', async () => {
    const error = await failing((session) => failure(session, insert(session.dialect, 'children', 'c', null)))
    expect(error).toMatchObject({ code: 'constraint', details: { table: 'children', column: 'parent' } })
    expectTold(error, 'insert children')
  })

  it('hazard 32: a broken CHECK is a constraint error', async () => {
    const error = await failing((session) => failure(session, insert(session.dialect, 'items', 'a', null, null, 2n)))
    expect(error.code).toBe('constraint')
    expectTold(error, 'insert items')
  })

  // Catches: SQLite without PRAGMA foreign_keys, and a foreign key lumped together with the other constraints.
  it('adapter: a missing parent is a foreign-key error, at once or at commit', async () => {
    const { session } = harness()
    const atOnce = await failure(session, insert(session.dialect, 'children', 'c', 'nobody'))
    expect(atOnce.code).toBe('foreign-key')
    expectTold(atOnce, 'insert children')
    const late = await failure(
      session,
      transaction('late', () => insert(session.dialect, 'late_children', 'c', 'nobody')),
    )
    expect(late.code).toBe('foreign-key')
    expectTold(late, 'late: commit')
    expect(await run(session, query('read', 'select id from late_children', [], identity))).toEqual([])
  })

  it('adapter: a missing table is its own code and names the table', async () => {
    const error = await failing((session) => failure(session, insert(session.dialect, 'nowhere', 'a')))
    expect(error).toMatchObject({ code: 'missing-table', details: { table: 'nowhere' } })
    expectTold(error, 'insert nowhere')
  })

  it('adapter: a value that the column cannot hold is an unsupported value', async () => {
    const error = await failing((session) => failure(session, insert(session.dialect, 'numbers', 'five')))
    expect(error.code).toBe('unsupported-value')
    expectTold(error, 'insert numbers')
  })

  it('adapter: SQL that is none, and two statements in one query, are errors and nothing runs', async () => {
    const { session } = harness()
    expect((await failure(session, execute('nonsense', 'selec 1', []))).code).toBe('unknown')
    const two = "insert into items (id) values ('a'); insert into items (id) values ('b')"
    expectTold(await failure(session, execute('two', two, [])), 'two')
    expect(await itemIds(session)).toEqual([])
  })

  // Catches: a count of parameters that reads as a lost connection (SQLSTATE class 08).
  it('adapter: too few and too many parameters are the program’s fault', async () => {
    const { session } = harness()
    const text = sql(session.dialect, 'update items set note = ? where id = ?')
    expect((await failure(session, execute('few', text, ['a']))).code).toBe('usage')
    expect((await failure(session, execute('many', text, ['a', 'b', 'c']))).code).toBe('usage')
  })

  it('hazard 49: more parameters than the database takes is an error that blames the statement', async () => {
    const { session } = harness()
    const text = sql(session.dialect, `select 1 from items where id in (${Array(65_536).fill('?').join(', ')})`)
    const error = await failure(session, query('wide', text, Array(65_536).fill('x'), identity))
    expect(error.code).toBe('unsupported-value')
    expect(error.message).toContain('"wide"')
  })

  it('adapter: a failing row of runMany is named by its index, and the rows before it stay', async () => {
    const { session } = harness()
    const rows = ['a', 'b', 'a', 'c'].map((id) => [id, null, null, null])
    const error = await failure(session, runMany('items', insertSql(session.dialect, 'items', 4), rows))
    expect(error).toMatchObject({ code: 'constraint', details: { row: 2 } })
    expect(error.message).toContain('row 2')
    expect(await itemIds(session)).toEqual(['a', 'b'])
  })

  // Catches: a lock reported as unknown, which no caller would retry, and a session that is of no use afterwards.
  it('hazard 48: a lock held too long by another connection is busy and retryable; afterwards the session works', async () => {
    const { session } = harness()
    const release = await harness().holdLock()
    const alone = await failure(session, item(session.dialect, 'a'))
    expect(alone).toMatchObject({ code: 'busy', isRetryable: true })
    const inside = await failure(
      session,
      transaction('locked', () => item(session.dialect, 'a')),
    )
    expect(inside).toMatchObject({ code: 'busy', isRetryable: true })
    await release()
    await run(session, item(session.dialect, 'a'))
    expect(await itemIds(session)).toEqual(['a'])
  })
}
