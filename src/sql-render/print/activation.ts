import type { DialectName } from './index.ts'

/**
 * The first statement of a transaction that makes a temporary function, whatever default_transaction_read_only says. Divergence: SQLite
 * needs none. https://www.postgresql.org/docs/current/sql-set-transaction.html
 */
export const READ_WRITE: Readonly<Record<DialectName, string | undefined>> = {
  sqlite: undefined,
  postgres: 'SET TRANSACTION READ WRITE',
}

/** The number of the activation's advisory lock in its database: the first eight bytes of SHA-256("mergelaw activation"), signed. */
const ACTIVATION_LOCK = '8472625384046328829'

/**
 * What takes the activation lock inside a transaction that has just begun; it is free again when the transaction ends.
 *
 * Divergence: SQLite's BEGIN IMMEDIATE is the lock. PostgreSQL needs an advisory one, since `CREATE TABLE IF NOT EXISTS` of two
 * connections fails; it reads after the lock what the last holder committed only while every statement has a snapshot of its own
 * (READ COMMITTED), and a host's `lock_timeout` or `statement_timeout` must not turn waiting for another process's backfill, or a
 * backfill of its own, into a failure at every start. `transaction_timeout` is only there since PostgreSQL 17, so it is set by name. An
 * `idle_in_transaction_session_timeout` stays: it frees the lock of a process that hangs.
 * https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
 */
export const TAKE_LOCK: Readonly<Record<DialectName, string | undefined>> = {
  sqlite: undefined,
  postgres: [
    'SET TRANSACTION ISOLATION LEVEL READ COMMITTED;',
    'SET LOCAL lock_timeout = 0;',
    'SET LOCAL statement_timeout = 0;',
    "SELECT set_config(name, '0', true) FROM pg_catalog.pg_settings WHERE name = 'transaction_timeout';",
    `SELECT pg_advisory_xact_lock(${ACTIVATION_LOCK});`,
  ].join('\n'),
}

/**
 * How long a change of the table may wait for the table itself, in PostgreSQL: behind a waiting ALTER TABLE every writer waits too, and
 * an open transaction of anyone's would stop them all. After that it fails, and the next start tries again.
 */
export const LIMIT_WAIT: Readonly<Record<DialectName, string | undefined>> = {
  sqlite: undefined,
  postgres: "SET LOCAL lock_timeout = '3s';",
}

/** SQLite's foreign keys; inside a transaction ON and OFF do nothing. */
export const FOREIGN_KEYS = {
  read: 'PRAGMA foreign_keys',
  on: 'PRAGMA foreign_keys = ON',
  off: 'PRAGMA foreign_keys = OFF',
} as const
