import { messageOf } from '../util/message-of.ts'
import { type DatabaseErrorCode, known, type Reading, textProperty } from './errors.ts'

/**
 * SQLSTATEs that differ from their class.
 *
 * Divergence: PostgreSQL 18 reports ON DELETE RESTRICT as 23001, older versions as 23503; both are a foreign key's.
 */
const BY_STATE: Readonly<Record<string, DatabaseErrorCode>> = {
  '23001': 'foreign-key', // restrict_violation
  '23503': 'foreign-key', // foreign_key_violation
  '25006': 'connection', // read_only_sql_transaction: a standby after a failover
  '3D000': 'connection', // invalid_catalog_name
  '3F000': 'missing-table', // invalid_schema_name
  '40001': 'serialization', // serialization_failure
  '40002': 'constraint', // transaction_integrity_constraint_violation
  '40003': 'connection', // statement_completion_unknown
  '40P01': 'deadlock', // deadlock_detected
  '42P01': 'missing-table', // undefined_table
  '44000': 'constraint', // with_check_option_violation
  '55P03': 'busy', // lock_not_available
  '57014': 'busy', // query_canceled: statement_timeout, or somebody's cancel request
  '57P01': 'connection', // admin_shutdown
  '57P02': 'connection', // crash_shutdown
  '57P03': 'connection', // cannot_connect_now
  '57P04': 'connection', // database_dropped
  '57P05': 'connection', // idle_session_timeout
  '25P04': 'connection', // transaction_timeout
  '25P03': 'connection', // idle_in_transaction_session_timeout
  XX001: 'connection', // data_corrupted
  XX002: 'connection', // index_corrupted
  P0001: 'constraint', // raise_exception: what a trigger refuses, as SQLite's RAISE
}

/** The classes of SQLSTATE; 53 and 58 are a server that cannot go on (disk full, out of memory, a failing file system). */
const BY_CLASS: Readonly<Record<string, DatabaseErrorCode>> = {
  '08': 'connection',
  '22': 'unsupported-value',
  '23': 'constraint',
  '28': 'connection',
  '40': 'serialization',
  '53': 'connection',
  '54': 'unsupported-value',
  '58': 'connection',
}

const NETWORK: ReadonlySet<string> = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH EHOSTDOWN ENETUNREACH ENOENT EACCES'.split(
    ' ',
  ),
)

/** The driver's own errors, which carry no code. */
const LOST = [
  /^Connection terminated/,
  /^Client has encountered a connection error/,
  /^Client was closed/,
  /^timeout exceeded when trying to connect/,
  /^timeout expired/,
  /^Query read timeout/,
  /^Cannot use a pool after calling end/,
  /^The server does not support SSL/,
  /^SASL: /,
]

/** Reads what pg threw. Anything it does not know is 'unknown', never guessed. */
export const readPgError = (error: unknown): Reading => {
  const state = textProperty(error, 'code') ?? ''
  if (NETWORK.has(state)) return { code: 'connection' }
  if (state === '') return { code: LOST.some((pattern) => pattern.test(messageOf(error))) ? 'connection' : 'unknown' }
  const facts = known({ sqlState: state, ...factsOf(error) })
  // 08P01 is also how poolers report trouble; only this routine speaks of the statement's own parameters.
  if (textProperty(error, 'routine') === 'exec_bind_message') return { code: 'usage', facts }
  if (isStandby(error)) return { code: 'connection', facts, advice: READ_ONLY_ADVICE }
  const code = BY_STATE[state] ?? BY_CLASS[state.slice(0, 2)] ?? 'unknown'
  const advice = isStalePlan(error) ? STALE_ADVICE : ADVICE[state]
  return advice === undefined ? { code, facts } : { code, facts, advice }
}

const STALE_ADVICE =
  'A prepared statement is not what this session prepared: behind a pooler use { prepare: false }; after a schema change run it again.'

const READ_ONLY_ADVICE =
  'Nothing may be written here: this is a standby, or default_transaction_read_only is on. Connect to the primary, or set it off for this ' +
  'role or database; the health check writes too, a function in pg_temp.'

/** Advice that goes with one SQLSTATE. */
const ADVICE: Readonly<Record<string, string>> = {
  '25006': READ_ONLY_ADVICE,
  '57014': 'Run it again; where statement_timeout ended it, allow more time.',
  '42501':
    'Grant this login the right that the message names. The health check needs SELECT on the tables it reads, and like the backfill ' +
    'GRANT TEMPORARY ON DATABASE; an activation also GRANT CREATE ON SCHEMA, REFERENCES on task_sessions, and to own the table that it upgrades.',
}

/** A standby refuses SET TRANSACTION READ WRITE as a feature (0A000); PostgreSQL 15 names the routine otherwise than later versions. */
const isStandby = (error: unknown): boolean =>
  textProperty(error, 'code') === '0A000' &&
  ['check_transaction_read_only', 'check_XactReadOnly'].includes(textProperty(error, 'routine') ?? '')

/** True when the statements prepared on this connection are lost or outdated (a pooler, DISCARD ALL, a changed table). */
const isStalePlan = (error: unknown): boolean => {
  const state = textProperty(error, 'code')
  return (
    state === '26000' || state === '42P05' || (state === '0A000' && textProperty(error, 'routine') === 'RevalidateCachedQuery')
  )
}

/** True when the connection must not be used again. */
export const spoilsConnection = (error: unknown): boolean => readPgError(error).code === 'connection' || isStalePlan(error)

const KEY = /^Key \((.+?)\)=\((.*)\) /s

/** PostgreSQL names table, column and constraint; the key's value stands in `detail` (in English; other languages leave it out). */
const factsOf = (error: unknown): Readonly<Record<string, unknown>> => {
  const detail = textProperty(error, 'detail')
  const key = detail === undefined ? null : KEY.exec(detail)
  return {
    schema: textProperty(error, 'schema'),
    table: textProperty(error, 'table') ?? TABLE.exec(messageOf(error))?.[1],
    column: textProperty(error, 'column') ?? key?.[1],
    value: key?.[2],
    constraint: textProperty(error, 'constraint'),
    detail,
  }
}

const TABLE = /^relation "(.+)" does not exist/
