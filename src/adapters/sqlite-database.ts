import { MergelawError } from '../errors/index.ts'
import { databaseError, type Place } from './errors.ts'
import { readSqliteError } from './sqlite-errors.ts'

/** The slice of a better-sqlite3 Statement that the session uses. */
export interface SqliteStatement {
  readonly reader: boolean
  readonly readonly: boolean
  safeIntegers(on: boolean): unknown
  raw(on: boolean): unknown
  run(params: readonly unknown[]): { readonly changes: number }
  all(params: readonly unknown[]): unknown[]
}

/** The slice of a better-sqlite3 Database that the session uses. */
export interface SqliteDatabase {
  readonly inTransaction: boolean
  readonly readonly: boolean
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  pragma(text: string, options: { simple: true }): unknown
}

export interface SqliteOptions {
  /** How long a statement waits for another connection's lock, in milliseconds. Default 5000; 0 fails at once with 'busy'. */
  readonly busyTimeout?: number
  /**
   * PRAGMA synchronous. Default NORMAL, which with WAL never damages the file but may lose the last commits in a power cut; FULL
   * keeps them and costs an fsync a commit. Where WAL is not possible (memory, read-only) the default leaves the host's setting.
   */
  readonly synchronous?: 'NORMAL' | 'FULL' | 'EXTRA'
  /**
   * `wal` (default) puts the file into WAL mode, which stays in the file; where another connection is using it at that moment the mode
   * stays as it is, and everything works more slowly. `keep` leaves the file as its owner has it, for who only reads.
   */
  readonly journal?: 'wal' | 'keep'
}

const MAX_TIMEOUT = 2 ** 31 - 1

/** Sets what every session relies on. Refused inside a transaction, where SQLite ignores some of it without a word. */
export const configure = (db: SqliteDatabase, options: SqliteOptions): void => {
  const { busyTimeout = 5000, synchronous, journal = 'wal' } = options
  if (!Number.isInteger(busyTimeout) || busyTimeout < 0 || busyTimeout > MAX_TIMEOUT) {
    const message = `busyTimeout is ${busyTimeout}; give whole milliseconds from 0 to ${MAX_TIMEOUT}.`
    throw new MergelawError('usage', message, { details: { busyTimeout } })
  }
  if (db.inTransaction) {
    throw new MergelawError(
      'usage',
      'The Database has a transaction open, where SQLite ignores settings. Open the session outside it.',
    )
  }
  soft({ step: 'open session' }, () => {
    db.pragma(`busy_timeout = ${busyTimeout}`, { simple: true })
    db.pragma('foreign_keys = ON', { simple: true })
    const mode = db.readonly || journal === 'keep' ? 'as it is' : switchToWal(db)
    const level = synchronous ?? (mode === 'wal' ? 'NORMAL' : undefined)
    if (level !== undefined) db.pragma(`synchronous = ${level}`, { simple: true })
  })
}

/** The switch needs the file for itself for a moment. A session without WAL is as safe, so that nobody has to wait for it or fail. */
const switchToWal = (db: SqliteDatabase): unknown => {
  try {
    return db.pragma('journal_mode = WAL', { simple: true })
  } catch (error) {
    if (readSqliteError(error).code !== 'busy') throw error
    return 'busy'
  }
}

/** Turns what the driver throws into our error. */
export const soft = <T>(place: Place, body: () => T): T => {
  try {
    return body()
  } catch (error) {
    throw databaseError(error, place, readSqliteError)
  }
}
