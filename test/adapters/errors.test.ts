import { describe, expect, it } from 'vitest'
import { type DatabaseErrorCode, databaseError } from '../../src/adapters/errors.ts'
import { readPgError } from '../../src/adapters/pg-errors.ts'
import { readSqliteError } from '../../src/adapters/sqlite-errors.ts'
import { MergelawError } from '../../src/errors/index.ts'

const coded = (code: string, message = 'what the database said'): Error => Object.assign(new Error(message), { code })

/** The whole mapping of SQLite: every primary result code that can reach a caller, some extended ones, the driver's own errors. */
const SQLITE: readonly (readonly [Error, DatabaseErrorCode])[] = [
  [coded('SQLITE_BUSY'), 'busy'],
  [coded('SQLITE_BUSY_SNAPSHOT'), 'busy'],
  [coded('SQLITE_BUSY_RECOVERY'), 'busy'],
  [coded('SQLITE_LOCKED'), 'busy'],
  [coded('SQLITE_LOCKED_SHAREDCACHE'), 'busy'],
  [coded('SQLITE_PROTOCOL'), 'busy'],
  [coded('SQLITE_CONSTRAINT'), 'constraint'],
  [coded('SQLITE_CONSTRAINT_FOREIGNKEY'), 'foreign-key'],
  [coded('SQLITE_CONSTRAINT_PRIMARYKEY'), 'constraint'],
  [coded('SQLITE_CONSTRAINT_UNIQUE'), 'constraint'],
  [coded('SQLITE_CONSTRAINT_NOTNULL'), 'constraint'],
  [coded('SQLITE_CONSTRAINT_CHECK'), 'constraint'],
  [coded('SQLITE_CONSTRAINT_TRIGGER'), 'constraint'],
  [coded('SQLITE_CONSTRAINT_DATATYPE'), 'constraint'],
  [coded('SQLITE_CONSTRAINT_ROWID'), 'constraint'],
  [coded('SQLITE_MISMATCH'), 'unsupported-value'],
  [coded('SQLITE_RANGE'), 'unsupported-value'],
  [coded('SQLITE_TOOBIG'), 'unsupported-value'],
  [coded('SQLITE_IOERR'), 'connection'],
  [coded('SQLITE_IOERR_WRITE'), 'connection'],
  [coded('SQLITE_CANTOPEN'), 'connection'],
  [coded('SQLITE_NOTADB'), 'connection'],
  [coded('SQLITE_CORRUPT'), 'connection'],
  [coded('SQLITE_CORRUPT_INDEX'), 'connection'],
  [coded('SQLITE_FULL'), 'connection'],
  [coded('SQLITE_READONLY'), 'connection'],
  [coded('SQLITE_READONLY_DBMOVED'), 'connection'],
  [coded('SQLITE_PERM'), 'connection'],
  [coded('SQLITE_ERROR', 'no such table: items'), 'missing-table'],
  [coded('SQLITE_ERROR', 'too many SQL variables'), 'unsupported-value'],
  [coded('SQLITE_ERROR', 'integer overflow'), 'unsupported-value'],
  [coded('SQLITE_ERROR', 'near "selec": syntax error'), 'unknown'],
  [coded('SQLITE_ERROR', 'table items has no column named x'), 'unknown'],
  [coded('SQLITE_CONSTRAINT_TRIGGER', 'no such table: a text of the trigger'), 'constraint'],
  [coded('SQLITE_NOMEM'), 'unknown'],
  [coded('SQLITE_INTERRUPT'), 'unknown'],
  [coded('SQLITE_AUTH'), 'unknown'],
  [coded('SQLITE_BUSYBODY'), 'unknown'],
  [new TypeError('SQLite3 can only bind numbers, strings, bigints, buffers, and null'), 'unsupported-value'],
  [new RangeError('The bound string, buffer, or bigint is too big'), 'unsupported-value'],
  [new RangeError('Too many parameter values were provided'), 'usage'],
  [new RangeError('Too few parameter values were provided'), 'usage'],
  [new RangeError('The supplied SQL string contains more than one statement'), 'usage'],
  [new RangeError('The supplied SQL string contains no statements'), 'usage'],
  [new TypeError('This database connection is busy executing a query'), 'usage'],
  [new TypeError('The database connection is not open'), 'connection'],
  [new TypeError('x is not a function'), 'unknown'],
]

const PG: readonly (readonly [string, DatabaseErrorCode])[] = [
  ['08000', 'connection'],
  ['08003', 'connection'],
  ['08006', 'connection'],
  ['08P01', 'connection'],
  ['22000', 'unsupported-value'],
  ['22001', 'unsupported-value'],
  ['22003', 'unsupported-value'],
  ['22007', 'unsupported-value'],
  ['22008', 'unsupported-value'],
  ['22021', 'unsupported-value'],
  ['22P02', 'unsupported-value'],
  ['22P05', 'unsupported-value'],
  ['23000', 'constraint'],
  ['23001', 'foreign-key'],
  ['23502', 'constraint'],
  ['23503', 'foreign-key'],
  ['23505', 'constraint'],
  ['23514', 'constraint'],
  ['23P01', 'constraint'],
  ['25006', 'connection'],
  ['25P02', 'unknown'],
  ['25P03', 'connection'],
  ['25P04', 'connection'],
  ['26000', 'unknown'],
  ['28P01', 'connection'],
  ['3D000', 'connection'],
  ['3F000', 'missing-table'],
  ['40000', 'serialization'],
  ['40001', 'serialization'],
  ['40002', 'constraint'],
  ['40003', 'connection'],
  ['40P01', 'deadlock'],
  ['42501', 'unknown'],
  ['42601', 'unknown'],
  ['42703', 'unknown'],
  ['42804', 'unknown'],
  ['42P01', 'missing-table'],
  ['42P10', 'unknown'],
  ['21000', 'unknown'],
  ['44000', 'constraint'],
  ['53100', 'connection'],
  ['53200', 'connection'],
  ['53300', 'connection'],
  ['54000', 'unsupported-value'],
  ['54001', 'unsupported-value'],
  ['54023', 'unsupported-value'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
  ['57P01', 'connection'],
  ['57P02', 'connection'],
  ['57P03', 'connection'],
  ['57P04', 'connection'],
  ['57P05', 'connection'],
  ['58030', 'connection'],
  ['P0001', 'constraint'],
  ['XX000', 'unknown'],
  ['XX001', 'connection'],
  ['99999', 'unknown'],
  ['ECONNREFUSED', 'connection'],
  ['ECONNRESET', 'connection'],
  ['EPIPE', 'connection'],
  ['ETIMEDOUT', 'connection'],
  ['ENOTFOUND', 'connection'],
  ['EAI_AGAIN', 'connection'],
  ['ENOENT', 'connection'],
  ['ERR_SOMETHING', 'unknown'],
]

const PG_MESSAGES: readonly (readonly [string, DatabaseErrorCode])[] = [
  ['Connection terminated', 'connection'],
  ['Connection terminated unexpectedly', 'connection'],
  ['Connection terminated due to connection timeout', 'connection'],
  ['Client has encountered a connection error and is not queryable', 'connection'],
  ['Client was closed and is not queryable', 'connection'],
  ['timeout exceeded when trying to connect', 'connection'],
  ['timeout expired', 'connection'],
  ['Query read timeout', 'connection'],
  ['Cannot use a pool after calling end on the pool', 'connection'],
  ['The server does not support SSL connections', 'connection'],
  ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', 'connection'],
  ['x is not a function', 'unknown'],
]

const RETRYABLE: ReadonlySet<DatabaseErrorCode> = new Set<DatabaseErrorCode>(['busy', 'serialization', 'deadlock'])
const place = { step: 'upsert items', sql: 'INSERT …' }

describe('driver errors', () => {
  it.each(
    SQLITE.map(
      ([error, want]) => [`${'code' in error ? String(error.code) : error.name}: ${error.message}`, want, error] as const,
    ),
  )('adapter: SQLite %s is %s', (_title, want, error) => {
    const ours = databaseError(error, place, readSqliteError)
    expect([ours.code, ours.isRetryable, ours.cause]).toEqual([want, RETRYABLE.has(want), error])
  })

  it.each(PG)('adapter: PostgreSQL %s is %s', (code, want) => {
    const ours = databaseError(coded(code), place, readPgError)
    expect([ours.code, ours.isRetryable]).toEqual([want, RETRYABLE.has(want)])
  })

  it.each([
    ['a transaction that is read-only', coded('25006'), 'connection', 'default_transaction_read_only'],
    ['a standby, as 15 says it', Object.assign(coded('0A000'), { routine: 'check_XactReadOnly' }), 'connection', 'standby'],
    ['a standby', Object.assign(coded('0A000'), { routine: 'check_transaction_read_only' }), 'connection', 'standby'],
    ['a missing right', coded('42501'), 'unknown', 'GRANT TEMPORARY ON DATABASE'],
    ['another missing feature', coded('0A000'), 'unknown', 'in `cause`'],
  ])('adapter: PostgreSQL: %s comes with what to do', (_title, error, code, advice) => {
    const ours = databaseError(error, place, readPgError)
    expect([ours.code, ours.message]).toEqual([code, expect.stringContaining(advice)])
  })

  it.each(PG_MESSAGES)('adapter: pg’s "%s" is %s', (message, want) => {
    expect(databaseError(new Error(message), place, readPgError).code).toBe(want)
  })

  it.each([undefined, null, 'text', 5, {}])('adapter: what is no error at all (%s) is unknown, and kept', (thrown) => {
    for (const read of [readSqliteError, readPgError])
      expect(databaseError(thrown, place, read)).toMatchObject({ code: 'unknown' })
  })

  it('adapter: the message names the step and the row, what was said, and what to do', () => {
    const error = databaseError(coded('23505', 'duplicate key'), { ...place, row: 3 }, readPgError)
    expect(error.message).toBe(
      '"upsert items", row 3 (counted from 0), failed: duplicate key. Change the row so that it keeps the constraint.',
    )
    expect(error.details).toEqual({ ...place, row: 3, sqlState: '23505' })
  })

  // Catches: Node's AggregateError, whose own message is empty.
  it('adapter: a refused connection to several addresses names them', () => {
    const cause = Object.assign(new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')]), {
      code: 'ECONNREFUSED',
    })
    expect(databaseError(cause, place, readPgError).message).toContain('refused by ::1; refused by 127.0.0.1')
  })

  it('adapter: an error of ours is passed through as it is', () => {
    const mine = new MergelawError('row', 'mine')
    expect(databaseError(mine, place, readPgError)).toBe(mine)
  })

  it.each([
    ['UNIQUE constraint failed: t.a, t.b', { table: 't', column: 'a, b' }],
    ['NOT NULL constraint failed: t.a', { table: 't', column: 'a' }],
    ['CHECK constraint failed: positive', { constraint: 'positive' }],
    ['cannot store TEXT value in INT column t.c', { table: 't', column: 'c' }],
    ['FOREIGN KEY constraint failed', {}],
  ])('adapter: SQLite’s "%s" is read into details', (message, facts) => {
    expect(readSqliteError(coded('SQLITE_CONSTRAINT', message)).facts).toEqual({ sqliteCode: 'SQLITE_CONSTRAINT', ...facts })
  })

  it('adapter: PostgreSQL’s key and value are read out of its detail, several columns and line breaks too', () => {
    const error = Object.assign(coded('23503'), { table: 'c', detail: 'Key (a, b)=(x\ny, z) is not present in table "p".' })
    expect(readPgError(error).facts).toMatchObject({ table: 'c', column: 'a, b', value: 'x\ny, z' })
  })

  it('adapter: a wrong count of parameters is not a lost connection', () => {
    expect(readPgError(Object.assign(coded('08P01'), { routine: 'exec_bind_message' })).code).toBe('usage')
  })
})
