import { isLeft } from 'fp-ts/lib/Either.js'
import { attempt, type Program } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import type { StepReport } from './activation-report.ts'
import { subagentContexts } from './contract.ts'
import { endStateOf, holds } from './end-state.ts'
import { hostMeta, type Keys, readKeys } from './keys.ts'
import { type Observed, type ObservedTable, observe } from './observe.ts'

/** The host's tables that an activation reads or writes. */
export const HOST_TABLES = ['task_sessions', 'task_session_messages', hostMeta.table] as const

/** What an activation decides by: the live schema and the keys, as observed in this moment. */
export interface ActivationState {
  readonly tables: Observed
  /** Our table; undefined where there is none. */
  readonly table: ObservedTable | undefined
  /** AC-33's clauses 1 to 3. */
  readonly endState: boolean
  /** Undefined where the host has no `kandev_meta`, or none that can be read. */
  readonly keys: Keys | undefined
}

/** How a step ended, and the state it left. */
export interface StepEnd {
  readonly report: StepReport
  readonly state: ActivationState
}

/**
 * How a look treats the keys. `must`: reading them may fail. `may`: where they cannot be read they are undefined, and the step that
 * needs them meets the error itself; never inside a transaction, which PostgreSQL ends with the error. Or keys seen before, unread.
 */
export type KeysWanted = 'must' | 'may' | { readonly seen: Keys | undefined }
export type Look = (keys: KeysWanted) => Program<ActivationState>

/** Reads the state. SQL: one SELECT over the catalogue, one SELECT for each key. */
export const readState = (dialect: Dialect): Look => {
  const keysOf = readKeys(dialect)
  function* keysAs(wanted: KeysWanted): Program<Keys | undefined> {
    if (typeof wanted === 'object') return wanted.seen
    if (wanted === 'must') return yield* keysOf()
    const read = yield* attempt(keysOf())
    return isLeft(read) ? undefined : read.right
  }
  return function* (wanted) {
    const tables = yield* observe(dialect, [subagentContexts.table, ...HOST_TABLES])
    const table = tables.get(subagentContexts.table)
    const keys = tables.has(hostMeta.table) ? yield* keysAs(wanted) : undefined
    return { tables, table, endState: table !== undefined && holds(endStateOf(table)), keys }
  }
}

/** The host's tables of messages and their sessions that are not there: without them a database is no host's. */
export function* missingHostTables(dialect: Dialect): Program<readonly string[]> {
  const wanted = ['task_sessions', 'task_session_messages']
  const tables = yield* observe(dialect, wanted)
  return wanted.filter((name) => !tables.has(name))
}
