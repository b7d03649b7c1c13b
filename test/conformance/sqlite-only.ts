import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { type SqliteDatabase, sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { attempt, BrokenConnection, execute, type Program, query, script, transaction } from '../../src/adapters/program.ts'
import { run, type SyncSession } from '../../src/adapters/session.ts'
import { failure, type Harness, identity, item, itemIds, TABLES, useHarness } from './harness.ts'

export interface SqliteHarness extends Harness {
  readonly db: Database.Database
}

const memory = (): Database.Database => new Database(':memory:').exec(TABLES)
const isMarked = (session: SyncSession): boolean => session.run(item('sqlite', 'x')) === 1

/** What only SQLite can show: its settings, its synchronous answers, the host's own transaction, rollbacks it does by itself. */
export const sqliteOnly = (name: string, makeSession: () => Promise<SqliteHarness>): void => {
  describe(`SQLite alone, ${name}`, () => {
    const harness = useHarness(makeSession)

    it('adapter: opening sets WAL, foreign keys, the busy timeout and synchronous NORMAL; options change them', () => {
      const { db } = harness()
      const read = (pragma: string): unknown => db.pragma(pragma, { simple: true })
      expect(['journal_mode', 'foreign_keys', 'busy_timeout', 'synchronous'].map(read)).toEqual(['wal', 1, 100, 1])
      sqliteSession(db, { synchronous: 'FULL' })
      expect(['busy_timeout', 'synchronous'].map(read)).toEqual([5000, 2])
    })

    it('adapter: a memory database and a read-only one open too; bad settings and an open transaction are refused', () => {
      const read = new Database(harness().db.name, { readonly: true })
      expect(sqliteSession(read).run(query('read', 'select count(*) as n from items', [], identity))).toEqual([[0n]])
      expect(() => sqliteSession(read).run(item('sqlite', 'a'))).toThrow(expect.objectContaining({ code: 'connection' }))
      read.close()
      const db = memory()
      expect(isMarked(sqliteSession(db))).toBe(true)
      expect(() => sqliteSession(db, { busyTimeout: 0.5 })).toThrow('busyTimeout is 0.5')
      db.exec('BEGIN')
      expect(() => sqliteSession(db)).toThrow('transaction open')
    })

    it('adapter: a file that is no database, and a closed one, are connection errors', () => {
      const db = memory()
      const session = sqliteSession(db)
      db.close()
      expect(() => session.run(item('sqlite', 'a'))).toThrow(expect.objectContaining({ code: 'connection' }))
      expect(() => sqliteSession(db)).toThrow(expect.objectContaining({ code: 'connection' }))
    })

    it('adapter: runs answer at once, inside the transaction of a host that is never touched', async () => {
      const { db, session, other } = harness()
      db.exec('BEGIN IMMEDIATE')
      expect(session.run(item('sqlite', 'a'))).toBe(1)
      expect(
        await failure(
          session,
          transaction('mine', () => item('sqlite', 'b')),
        ),
      ).toMatchObject({ code: 'usage' })
      expect(db.inTransaction).toBe(true)
      expect(await itemIds(other)).toEqual([])
      db.exec('COMMIT')
      expect(await itemIds(other)).toEqual(['a'])
    })

    // Catches: plain BEGIN, which takes the lock at the first write, where waiting is useless once the transaction has read.
    it('hazard 48: a transaction takes the write lock when it begins', async () => {
      const { session } = harness()
      const release = await harness().holdLock()
      const error = await failure(
        session,
        transaction('locked', () => item('sqlite', 'a')),
      )
      expect(error).toMatchObject({ code: 'busy', details: { step: 'locked: begin' } })
      await release()
    })

    // Catches: a body that goes on in autocommit after SQLite rolled back, and so stores half a transaction.
    it('adapter: when SQLite rolls back by itself, nothing after it runs and nothing is stored', async () => {
      const { db, session, other } = harness()
      db.exec("create trigger refuse before insert on items when new.id = 'bad' begin select raise(rollback, 'refused'); end")
      const program = transaction('refused', function* (): Program<void> {
        yield* item('sqlite', 'a')
        yield* attempt(item('sqlite', 'bad'))
        yield* attempt(item('sqlite', 'b'))
      })
      const error = await failure(session, program)
      expect(error.message).toContain('rolled back')
      expect(await itemIds(other)).toEqual([])
      expect(session.run(transaction('next', () => item('sqlite', 'c')))).toBe(1)
    })

    it('Divergence: SQLite keeps what a failing script did before, and goes on in a transaction after a failed statement', async () => {
      const { session, other } = harness()
      await failure(session, script('half', "insert into items (id) values ('a'); insert into items (id) values ('a')"))
      const program = transaction('soft', function* (): Program<void> {
        yield* attempt(item('sqlite', 'a'))
        yield* item('sqlite', 'b')
      })
      await run(session, program)
      expect(await itemIds(other)).toEqual(['a', 'b'])
    })

    it('adapter: a trigger that raises is a constraint error with its message', async () => {
      const { db, session } = harness()
      db.exec("create trigger refuse before insert on items begin select raise(abort, 'no items today'); end")
      const error = await failure(session, item('sqlite', 'a'))
      expect(error.code).toBe('constraint')
      expect(error.message).toContain('no items today')
    })

    // Catches: a transaction that could not be ended being taken for the host's by the next run.
    it('adapter: a real ROLLBACK that fails breaks the session until the transaction is ended', async () => {
      const db = memory()
      let broken = true
      const slice: SqliteDatabase = {
        get inTransaction() {
          return db.inTransaction
        },
        readonly: false,
        prepare: (text) => db.prepare(text),
        pragma: (text, options) => db.pragma(text, options),
        exec(text) {
          if (text === 'ROLLBACK' && broken) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
          return db.exec(text)
        },
      }
      const session = sqliteSession(slice)
      const twice = transaction('twice', function* (): Program<void> {
        yield* item('sqlite', 'a')
        yield* item('sqlite', 'a')
      })
      expect(await failure(session, twice)).toBeInstanceOf(BrokenConnection)
      expect(await failure(session, item('sqlite', 'b'))).toBeInstanceOf(BrokenConnection)
      broken = false
      expect(session.run(item('sqlite', 'c'))).toBe(1)
      expect(await itemIds(session)).toEqual(['c'])
    })

    it('adapter: a host that is reading with an iterator is told to end it first', async () => {
      const { db, session } = harness()
      db.exec("insert into items (id) values ('a'), ('b')")
      const reader = db.prepare('select id from items').iterate()
      reader.next()
      expect(await failure(session, item('sqlite', 'c'))).toMatchObject({ code: 'usage' })
      reader.return?.()
      expect(session.run(item('sqlite', 'c'))).toBe(1)
    })

    it('adapter: more texts than the statement cache holds still run, the first again too', async () => {
      const { session } = harness()
      for (let k = 0; k < 450; k++)
        await run(session, execute(`text ${k}`, `insert into items (id) values ('${k}') /* ${k} */`, []))
      await run(session, execute('again', "insert into items (id) values ('again') /* 0 */", []))
      expect(await itemIds(session)).toHaveLength(451)
    })
  })
}
