import { MergelawError } from '../errors/index.ts'
import { checkParams } from './bind.ts'
import { keepNewest } from './cache.ts'
import { driveSync } from './drive.ts'
import { databaseError } from './errors.ts'
import { type Answer, BrokenConnection, type Program, type SqlRow, type SqlValue, type Step } from './program.ts'
import {
  enterTransaction,
  leavesTransaction,
  leftOpen,
  newScope,
  requireTransaction,
  rolledBackByDatabase,
  type Scope,
} from './scope.ts'
import type { SyncSession } from './session.ts'
import { configure, type SqliteDatabase, type SqliteOptions, type SqliteStatement, soft } from './sqlite-database.ts'
import { readSqliteError } from './sqlite-errors.ts'

export type { SqliteDatabase, SqliteOptions, SqliteStatement } from './sqlite-database.ts'

/**
 * A synchronous session over a better-sqlite3 Database, for programs that must answer at once.
 *
 * Sets on the connection: busy_timeout, journal_mode=WAL (see `journal`), foreign_keys=ON, synchronous. The host keeps the Database, may use it
 * between runs, and closes it; a transaction that the host has open is never touched, and `begin` is refused inside it.
 * Statements that programs prepare (`execute`, `runMany`) are kept by SQL text, the newest 200.
 * Rows come as arrays of the driver's values, INTEGER as bigint. Throws MergelawError; codes as in `readSqliteError`.
 */
export const sqliteSession = (db: SqliteDatabase, options: SqliteOptions = {}): SyncSession => {
  configure(db, options)
  const answer = answerer(db)
  let stuck = false
  return {
    dialect: 'sqlite',
    mode: 'sync',
    run<T>(program: Program<T>): T {
      if (stuck) stuck = !recovered(db)
      const scope = newScope(db.inTransaction)
      let ended = false
      try {
        const result = driveSync(program, (step) => answer(step, scope))
        ended = !isLeftOpen(db, scope)
        if (!ended) throw leftOpen()
        return result
      } finally {
        if (!ended && isLeftOpen(db, scope)) stuck = !rollBackLeftOver(db)
      }
    },
  }
}

const isLeftOpen = (db: SqliteDatabase, scope: Scope): boolean => !scope.host && db.inTransaction

/** SQLite refuses a ROLLBACK only when it is in trouble; the error that led here matters more, so this one only marks the session. */
const rollBackLeftOver = (db: SqliteDatabase): boolean => {
  try {
    db.exec('ROLLBACK')
  } catch {
    return !db.inTransaction
  }
  return true
}

/** Never runs a program inside a transaction that an earlier run could not end. */
const recovered = (db: SqliteDatabase): true => {
  if (!db.inTransaction || rollBackLeftOver(db)) return true
  throw new BrokenConnection(
    'connection',
    'An earlier transaction on this database connection could not be rolled back. Close the Database and open it again.',
  )
}

const NOTHING: Answer = { rows: [], changes: 0 }

const answerer = (db: SqliteDatabase): ((step: Step, scope: Scope) => Answer) => {
  const prepared = keepNewest(CACHE_SIZE, (sql) => prepare(db, sql))
  return (step, scope) => {
    requireKept(db, step, scope)
    switch (step.kind) {
      case 'begin':
        return begin(db, step.name, scope)
      case 'commit':
        return commit(db, step.name, scope)
      case 'rollback':
        return rollback(db, step.name, scope)
      case 'wait':
        return wait(step.milliseconds)
      case 'query': {
        const place = { step: step.name, sql: step.sql }
        checkParams(place, step.params)
        return soft(place, () => runOne(step.prepare ? prepared(step.sql) : prepare(db, step.sql), step.params))
      }
      case 'runMany':
        return runMany(step.name, step.sql, step.rows, prepared)
      case 'script':
        soft({ step: step.name, sql: step.sql }, () => db.exec(step.sql))
        return NOTHING
    }
  }
}

/** SQLite goes on in autocommit after it rolled back by itself: what follows would be stored without what came before. */
const requireKept = (db: SqliteDatabase, step: Step, scope: Scope): void => {
  if (scope.open && !db.inTransaction && step.kind !== 'rollback' && step.kind !== 'begin') throw rolledBackByDatabase(step.name)
}

const prepare = (db: SqliteDatabase, sql: string): SqliteStatement => {
  const statement = db.prepare(sql)
  statement.safeIntegers(true)
  if (statement.reader) statement.raw(true)
  return statement
}

/** Contracts have a handful of statements each, so more than this is a program that writes values into its SQL. */
const CACHE_SIZE = 200

/** A statement with RETURNING answers with the rows it changed; a pure reader changes none. */
const runOne = (statement: SqliteStatement, params: readonly SqlValue[]): Answer => {
  if (!statement.reader) return { rows: [], changes: statement.run(params).changes }
  // raw(true) makes every row an array.
  const rows = statement.all(params) as SqlRow[]
  return { rows, changes: statement.readonly ? 0 : rows.length }
}

const runMany = (
  step: string,
  sql: string,
  rows: readonly (readonly SqlValue[])[],
  prepared: (sql: string) => SqliteStatement,
): Answer => {
  let row = 0
  let changes = 0
  try {
    const statement = prepared(sql)
    for (; row < rows.length; row++) {
      const params = rows[row] ?? []
      checkParams({ step, sql, row }, params)
      changes += runOne(statement, params).changes
    }
  } catch (error) {
    throw databaseError(error, { step, sql, row }, readSqliteError)
  }
  return { rows: [], changes }
}

/** A synchronous session has nothing else to do meanwhile. */
const wait = (milliseconds: number): Answer => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
  return NOTHING
}

const begin = (db: SqliteDatabase, step: string, scope: Scope): Answer => {
  enterTransaction(scope, step)
  soft({ step, sql: 'BEGIN IMMEDIATE' }, () => db.exec('BEGIN IMMEDIATE'))
  return NOTHING
}

const commit = (db: SqliteDatabase, step: string, scope: Scope): Answer => {
  requireTransaction(scope, step)
  soft({ step, sql: 'COMMIT' }, () => db.exec('COMMIT'))
  if (db.inTransaction)
    throw new MergelawError('unknown', `"${step}" failed: SQLite still has the transaction open after COMMIT.`)
  scope.open = false
  return NOTHING
}

/** SQLite may have rolled back already (disk full, RAISE(ROLLBACK)); a second ROLLBACK would be an error. */
const rollback = (db: SqliteDatabase, step: string, scope: Scope): Answer => {
  if (!leavesTransaction(scope)) return NOTHING
  if (db.inTransaction) soft({ step, sql: 'ROLLBACK' }, () => db.exec('ROLLBACK'))
  scope.open = false
  return NOTHING
}
