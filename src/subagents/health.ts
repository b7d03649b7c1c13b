import { readInstant, readInt64, readText } from '../adapters/decode.ts'
import { type Program, query, type SqlRow, type SqlValue, script, transaction } from '../adapters/program.ts'
import { type Dialect, type Ran, run, type Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { DIALECTS, type HealthOptions, type Printed, READ_WRITE, renderHealth } from '../sql-render/index.ts'
import type { Instant } from '../util/instant.ts'
import { subagentContexts } from './contract.ts'
import { KEY_NAMES, keyInstantOf, readKeys } from './keys.ts'
import { subagentProjection } from './projection.ts'

/** A subagent as messages and rows both know it: no message carries an execution. */
export interface SubagentKey {
  readonly task_session_id: string
  readonly tool_call_id: string
}

/** How many missing keys a report lists. */
export const LISTED_KEYS = 20

/** What both tables are compared by. */
export const healthOptions: HealthOptions = { compare: ['task_session_id', 'tool_call_id'] }

interface Measured {
  /** `subagent_context_capture_since` as stored. */
  readonly captureSince: string
  /** Subagents with a row and no message that accounts for it: expected on some installations, never an alarm (AC-28). */
  readonly excess: bigint
  /** Rows beyond one for each subagent: a `tool_call_id` was used again by another execution (AC-32). Never an alarm. */
  readonly collisions: bigint
}

/** AC-28 and AC-29, as data. */
export type HealthReport =
  /** AC-28a: `subagent_context_capture_since` is absent; that is the signal, and nothing was compared. */
  | { readonly state: 'not_activated' }
  /** Subagents whose message is there and whose row is not: the writer fails, or has stopped. Seen in two evaluations (AC-28b). */
  | (Measured & {
      readonly state: 'shortfall'
      readonly missing: bigint
      /** At most 20 of them, by session and tool call. */
      readonly missingKeys: readonly SubagentKey[]
      /** The newest row since activation; null: nothing since activation (AC-29). */
      readonly newestObservation: Instant | null
    })
  /** Nothing is missing, and the writer has produced nothing since activation either: never called healthy (AC-29). */
  | (Measured & { readonly state: 'nothing_since_activation' })
  | (Measured & { readonly state: 'healthy'; readonly newestObservation: Instant })

/**
 * Compares the messages since activation with the rows since activation, from the database alone (AC-28).
 *
 * Use it from a monitor: alarm on `shortfall`, look at the rest. Changes nothing.
 * On PostgreSQL it makes a function in `pg_temp`: its login needs TEMPORARY on the database beside SELECT on the tables, its transaction is
 * made one that may write, and it cannot run on a standby. Throws MergelawError: `unsupported-value` for a key that is no instant, `missing-table`, `connection`.
 * SQL: two anti-joins by EXCEPT, a MAX and a count, each one statement whose cost follows the window.
 */
export const health = <S extends Session>(session: S): Ran<S, HealthReport> => {
  const { dialect } = session
  // What is prepared belongs to one connection, and a pooler keeps to one connection only inside a transaction.
  const readWrite = READ_WRITE[dialect]
  return run(session, readWrite === undefined ? healthSteps(dialect) : transaction('health', () => writable(dialect, readWrite)))
}

/** What is prepared is created, in `pg_temp`, which a transaction that is read-only by default refuses. */
function* writable(dialect: Dialect, readWrite: string): Program<HealthReport> {
  yield* script('health: read and write', readWrite)
  return yield* healthSteps(dialect)
}

/** The same as a program, for a transaction of the caller's. */
export function* healthSteps(dialect: Dialect): Program<HealthReport> {
  const { captureSince } = yield* readKeys(dialect)()
  if (captureSince === undefined) return { state: 'not_activated' }
  const ask = askerOf(dialect, sinceOf(captureSince))
  if (ask.prepare !== undefined) yield* script('health: prepare', ask.prepare)
  const first = yield* ask.shortfall('health: shortfall')
  const confirmed = first.length === 0 ? first : inBoth(first, yield* ask.shortfall('health: shortfall, again'))
  const newestObservation = yield* ask.newest()
  const measured = { captureSince, excess: yield* ask.count('excess'), collisions: yield* ask.count('collisions') }
  if (confirmed.length > 0) {
    const listed = { missing: BigInt(confirmed.length), missingKeys: confirmed.slice(0, LISTED_KEYS) }
    return { state: 'shortfall', ...listed, newestObservation, ...measured }
  }
  return newestObservation === null
    ? { state: 'nothing_since_activation', ...measured }
    : { state: 'healthy', newestObservation, ...measured }
}

/** AC-28b: what is written while we look is missing once, not twice. Whole sets, since any key of a long one may have landed by then. */
const inBoth = (first: readonly SubagentKey[], second: readonly SubagentKey[]): readonly SubagentKey[] => {
  const textOf = ({ task_session_id, tool_call_id }: SubagentKey): string => JSON.stringify([task_session_id, tool_call_id])
  const known = new Set(first.map(textOf))
  return second.filter((key) => known.has(textOf(key)))
}

/** AC-24e: the key as an instant; the text itself is never compared. */
const sinceOf = (stored: string): Instant => {
  const since = keyInstantOf(stored)
  if (since !== undefined) return since
  throw new MergelawError(
    'unsupported-value',
    `kandev_meta holds ${JSON.stringify(stored)} for ${KEY_NAMES.captureSince}, which is no instant. Nothing was compared. ` +
      'Find out what wrote it; this library never changes a key that is present.',
    { details: { key: KEY_NAMES.captureSince, value: stored } },
  )
}

const askerOf = (dialect: Dialect, since: Instant) => {
  const sql = renderHealth(subagentContexts, subagentProjection, dialect, healthOptions)
  const bound = DIALECTS[dialect].encodeInstant(since, 'timestamp')
  const ask = <R>(name: string, { sql: text, parameters }: Printed, decode: (row: SqlRow) => R) =>
    query(
      name,
      text,
      parameters.map((): SqlValue => bound),
      decode,
    )
  return {
    prepare: sql.prepare,
    shortfall: (name: string): Program<readonly SubagentKey[]> => ask(name, sql.shortfall, keyOf),
    *newest(): Program<Instant | null> {
      const [newest = null] = yield* ask('health: newest observation', sql.newest, (row) => readInstant(row, 0))
      return newest
    },
    *count(what: 'excess' | 'collisions'): Program<bigint> {
      const [count] = yield* ask(`health: ${what}`, sql[what], (row) => readInt64(row, 0))
      return count ?? 0n
    },
  }
}

const keyOf = (row: SqlRow): SubagentKey => ({ task_session_id: readText(row, 1) ?? '', tool_call_id: readText(row, 2) ?? '' })
