import { messageOf } from '../util/message-of.ts'
import { type DatabaseErrorCode, known, type Reading, textProperty } from './errors.ts'

/**
 * SQLite's result codes, most specific first: the first prefix that fits decides.
 *
 * 'connection' means that the database file cannot be used as it stands: unreadable, damaged, full, read-only.
 */
const BY_CODE: readonly (readonly [string, DatabaseErrorCode])[] = [
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_PROTOCOL', 'busy'],
  ['SQLITE_CONSTRAINT_FOREIGNKEY', 'foreign-key'],
  ['SQLITE_CONSTRAINT', 'constraint'],
  ['SQLITE_MISMATCH', 'unsupported-value'],
  ['SQLITE_RANGE', 'unsupported-value'],
  ['SQLITE_TOOBIG', 'unsupported-value'],
  ['SQLITE_IOERR', 'connection'],
  ['SQLITE_CANTOPEN', 'connection'],
  ['SQLITE_NOTADB', 'connection'],
  ['SQLITE_CORRUPT', 'connection'],
  ['SQLITE_FULL', 'connection'],
  ['SQLITE_READONLY', 'connection'],
  ['SQLITE_PERM', 'connection'],
]

/** What only the message tells: plain SQLITE_ERROR, and the driver's own TypeError and RangeError, which carry no code. */
const BY_MESSAGE: readonly (readonly [RegExp, DatabaseErrorCode])[] = [
  [/^no such table: /, 'missing-table'],
  [/^too many SQL variables/, 'unsupported-value'],
  [/^integer overflow/, 'unsupported-value'],
  [/can only bind/, 'unsupported-value'],
  [/bound string, buffer, or bigint is too big/, 'unsupported-value'],
  [/^Too (many|few) parameter values/, 'usage'],
  [/SQL string contains (more than one statement|no statements)/, 'usage'],
  [/is busy executing a query/, 'usage'],
  [/database connection is not open/, 'connection'],
]

/** Reads what better-sqlite3 threw. Anything it does not know is 'unknown', never guessed. */
export const readSqliteError = (error: unknown): Reading => {
  const code = textProperty(error, 'code') ?? ''
  const message = messageOf(error)
  const byCode = BY_CODE.find(([prefix]) => code === prefix || code.startsWith(`${prefix}_`))
  const byMessage = code === '' || code === 'SQLITE_ERROR' ? BY_MESSAGE.find(([pattern]) => pattern.test(message)) : undefined
  return { code: (byCode ?? byMessage)?.[1] ?? 'unknown', facts: known({ sqliteCode: code || undefined, ...factsOf(message) }) }
}

const COLUMNS = /^(?:UNIQUE|NOT NULL) constraint failed: ([^.]+)\.(.+)$/
const CHECK = /^CHECK constraint failed: (.+)$/
const DATATYPE = /^cannot store \S+ value in \S+ column ([^.]+)\.(.+)$/
const TABLE = /^no such table: (.+)$/

/** SQLite tells table, column and constraint in its message only. Of several columns (`t.a, t.b`) all are named. */
const factsOf = (message: string): Readonly<Record<string, unknown>> => {
  const columns = COLUMNS.exec(message) ?? DATATYPE.exec(message)
  if (columns !== null) return { table: columns[1], column: columns[2]?.split(`, ${columns[1]}.`).join(', ') }
  return { constraint: CHECK.exec(message)?.[1], table: TABLE.exec(message)?.[1] }
}
