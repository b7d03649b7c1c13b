import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { openSqlite } from '../../src/adapters/open-sqlite.ts'
import { execute } from '../../src/adapters/program.ts'
import { run } from '../../src/adapters/session.ts'
import { createWriter, health, initialise, insertSession, listAll, status } from '../../src/subagents/index.ts'
import { line } from '../cli/samples.ts'
import { scratch } from '../support/cli.ts'

const { path } = scratch()
const NOBODY = 65_534

/** Root may write everything, whatever the file says. */
const asOrdinaryUser = async (body: () => Promise<void>): Promise<void> => {
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(NOBODY)
  try {
    await body()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

/** A file with one row in a folder of its own, closed, and then closed to writers. */
const readOnlyFile = (name: string, journal: 'wal' | 'delete', folderMode: number): string => {
  const file = path(`${name}/there.db`)
  chmodSync(path('.'), 0o755)
  mkdirSync(dirname(file))
  const db = new Database(file)
  const session = sqliteSession(db)
  run(session, initialise('sqlite'))
  run(session, insertSession('sqlite')({ id: 's1', task_id: 't1' }))
  createWriter(session, { log: { warn: () => undefined } }).record(JSON.parse(line()))
  db.pragma(`journal_mode = ${journal}`)
  db.close()
  chmodSync(file, 0o444)
  chmodSync(dirname(file), folderMode)
  return file
}

// Catches: `journal_mode = WAL`, or anything else that writes, before a read; a file in WAL mode cannot be opened where nothing can be
// created beside it.
it.each([
  ['without WAL', 'delete', 0o555],
  ['with WAL', 'wal', 0o555],
  ['with WAL, in a folder that may be written', 'wal', 0o777],
] as const)('cli, a file that may be read and not written, %s: rows, status and health read it', async (what, journal, mode) => {
  const file = readOnlyFile(what, journal, mode)
  await asOrdinaryUser(async () => {
    const { session, close } = await openSqlite(Database, file, 'read')
    expect(listAll(session).map((row) => row.tool_call_id)).toEqual(['c1'])
    expect(status(session)).toMatchObject({ rows: { total: 1n } })
    expect(health(session)).toEqual({ state: 'not_activated' })
    expect(() => run(session, execute('write', 'DELETE FROM task_sessions', []))).toThrow('readonly')
    close()
  })
})

it('cli, a file that may be read and not written: whoever means to write is told at once', async () => {
  const file = readOnlyFile('write', 'wal', 0o555)
  await asOrdinaryUser(async () => {
    await expect(openSqlite(Database, file, 'write')).rejects.toThrow('readonly')
  })
})

// Catches: a copy without what the last writer left in the log.
it('cli, a file that may be read and not written: changes that only its log holds are not left out without a word', async () => {
  const file = readOnlyFile('log', 'wal', 0o755)
  writeFileSync(`${file}-wal`, 'changes')
  chmodSync(dirname(file), 0o555)
  await asOrdinaryUser(async () => {
    await expect(openSqlite(Database, file, 'read')).rejects.toThrow('there.db-wal holds changes of it: copy both files')
  })
  expect(readdirSync(dirname(file)).sort()).toEqual(['there.db', 'there.db-wal'])
})

/** A file as its host left it, in rollback-journal mode. */
const hostFile = (name: string): string => {
  const file = path(name)
  const db = new Database(file)
  run(sqliteSession(db), initialise('sqlite'))
  db.pragma('journal_mode = delete')
  db.close()
  return file
}

// Catches: a health check that puts the host's file into WAL mode, which stays.
it('cli, a host file in rollback-journal mode: status, health and rows leave it as it is, byte for byte', async () => {
  const file = hostFile('rollback.db')
  const before = readFileSync(file)
  const { session, close } = await openSqlite(Database, file, 'read')
  expect([listAll(session), health(session)]).toEqual([[], { state: 'not_activated' }])
  expect(status(session)).toMatchObject({ rows: { total: 0n } })
  close()
  expect(readFileSync(file).equals(before)).toBe(true)
  ;(await openSqlite(Database, file, 'write')).close()
  expect(readFileSync(file)[18]).toBe(2) // WAL
})

// Catches: a start that fails because another connection reads at that moment; a session that goes on with NORMAL and no WAL.
it('hazard: where another connection uses the file, WAL waits for a later opening and the session works without it', () => {
  const file = hostFile('in-use.db')
  const [reader, db] = [new Database(file), new Database(file)]
  reader.exec('BEGIN; SELECT * FROM sqlite_master')
  reader.prepare('SELECT * FROM task_sessions').all()
  const session = sqliteSession(db, { busyTimeout: 50 })
  expect([db.pragma('journal_mode', { simple: true }), db.pragma('synchronous', { simple: true })]).toEqual(['delete', 2])
  reader.exec('COMMIT')
  run(session, insertSession('sqlite')({ id: 's1', task_id: 't1' }))
  sqliteSession(db)
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
  reader.close()
  db.close()
})
