import { afterEach, beforeEach, expect } from 'vitest'
import { execute, type Program, query, type SqlRow, type SqlValue, script } from '../../src/adapters/program.ts'
import { type Dialect, run, type Session } from '../../src/adapters/session.ts'
import { MergelawError } from '../../src/errors/index.ts'

/** What an adapter under test hands over: sessions that wait at most 0.1 s for a lock, on an empty database of their own. */
export interface Harness {
  readonly session: Session
  /** The same database over another connection. */
  readonly other: Session
  /** Takes a lock that keeps every writer from `items`, over a third connection; call what it returns to release it. */
  holdLock(): Promise<() => Promise<void>>
  close(): Promise<void>
}

export const TABLES = `
create table items (id text primary key, n bigint, note text, flag integer check (flag in (0, 1)));
create table numbers (id integer primary key);
create table parents (id text primary key);
create table children (id text primary key, parent text not null references parents (id));
create table late_children (id text primary key, parent text references parents (id) deferrable initially deferred);
`

/** Opens a harness with the tables before each test of the enclosing describe, and closes it afterwards. */
export const useHarness = <H extends Harness>(makeSession: () => Promise<H>): (() => H) => {
  let harness: H | undefined
  beforeEach(async () => {
    harness = await makeSession()
    await run(harness.session, script('tables', TABLES))
  })
  afterEach(() => harness?.close())
  return () => {
    if (harness === undefined) throw new Error('the harness is open inside tests only')
    return harness
  }
}

/** SQL with `?` in each dialect's spelling. */
export const sql = (dialect: Dialect, text: string): string => {
  let at = 0
  return dialect === 'sqlite' ? text : text.replaceAll('?', () => `$${++at}`)
}

export const identity = (row: SqlRow): SqlRow => row

/** Inserts one row into a table through a prepared statement. */
export const insert = (dialect: Dialect, table: string, ...values: SqlValue[]): Program<number> =>
  execute(`insert ${table}`, insertSql(dialect, table, values.length), values)

export const insertSql = (dialect: Dialect, table: string, columns: number): string =>
  sql(dialect, `insert into ${table} values (${Array(columns).fill('?').join(', ')})`)

/** An item with an id and nothing else. */
export const item = (dialect: Dialect, id: string): Program<number> => insert(dialect, 'items', id, null, null, null)

/** The ids in `items`, in order, as another reader sees them. */
export const itemIds = async (session: Session): Promise<readonly unknown[]> =>
  run(
    session,
    query('ids', 'select id from items order by id', [], (row) => row[0]),
  )

/** The error a program fails with, which must be the library's own. */
export const failure = async <T>(session: Session, program: Program<T>): Promise<MergelawError> => {
  const error: unknown = await attempted(session, program)
  expect(error).toBeInstanceOf(MergelawError)
  return error as MergelawError
}

/** Whatever a program throws; fails the test when it throws nothing. */
export const attempted = async <T>(session: Session, program: Program<T>): Promise<unknown> => {
  try {
    await run(session, program)
  } catch (error) {
    return error
  }
  return expect.fail('the program should have failed')
}
