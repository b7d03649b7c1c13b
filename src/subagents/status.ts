import { readInt64, readText } from '../adapters/decode.ts'
import { type Program, query } from '../adapters/program.ts'
import { type Dialect, type Ran, run, type Session } from '../adapters/session.ts'
import { DIALECTS, renderPopulation } from '../sql-render/index.ts'
import type { Instant } from '../util/instant.ts'
import { type ActivationState, readState } from './activation-state.ts'
import { subagentContexts, UNKNOWN_EXECUTION } from './contract.ts'
import { type EndState, EXECUTION_COLUMN, endStateOf, missingIndexesOf, narrowMetricsOf } from './end-state.ts'
import { type KeyName, type Keys, keyInstantOf } from './keys.ts'
import type { ObservedTable } from './observe.ts'
import { ADVICE, READINGS, type Reading, STATES } from './status-words.ts'

/** AC-33's clauses as observed now. */
export interface ObservedClauses extends EndState {
  /** Clause 4: indexes of the contract that are not there. */
  readonly missingIndexes: readonly string[]
  /** Metrics that have fewer than 64 bits. */
  readonly narrowMetrics: readonly string[]
}

export interface PopulationReport {
  readonly total: bigint
  readonly bySource: Readonly<Record<string, bigint>>
  /** Rows with an execution identity: real ones, on whichever side of execution_since (AC-25). */
  readonly known: bigint
  /** `'unknown'` rows from before execution_since, or all of them while that key is absent: no execution dimension then. */
  readonly unknownBefore: bigint
  /** `'unknown'` rows since: live frames that arrived without an execution, or history backfilled later. */
  readonly unknownSince: bigint
}

/** Where an installation stands, as data. */
export interface StatusReport {
  /** AC-24c's four states, by capture_since and execution_since. */
  readonly state: keyof typeof STATES
  /** AC-24c's reading of the state. */
  readonly meaning: string
  /** As stored, byte for byte, null where one is absent; null where the host has no `kandev_meta`. */
  readonly keys: Readonly<Record<KeyName, string | null>> | null
  /** Null where there is no table. */
  readonly schema: ObservedClauses | null
  readonly rows: PopulationReport | null
  /** AC-25: how to read what is there, one sentence each. */
  readonly readings: Readonly<Record<Reading, string>>
  /** What an operator may want to do; nothing here is done by the library. */
  readonly advice: readonly string[]
}

/** Reads where an installation stands: keys, schema and rows, and how AC-24c and AC-25 read them. Changes nothing. */
export const status = <S extends Session>(session: S): Ran<S, StatusReport> => run(session, statusSteps(session.dialect))

/** The same as a program. */
function* statusSteps(dialect: Dialect): Program<StatusReport> {
  const observed = yield* readState(dialect)('must')
  const { table, keys } = observed
  const state = stateOf(keys)
  return {
    state,
    meaning: STATES[state],
    keys: keys === undefined ? null : shownKeys(keys),
    schema: table === undefined ? null : clausesOf(table),
    rows: table === undefined ? null : yield* population(dialect, table, sinceOf(keys)),
    readings: READINGS,
    advice: adviceOf(observed),
  }
}

const stateOf = (keys: Keys | undefined): StatusReport['state'] => {
  const capture = keys?.captureSince === undefined ? 'absent' : 'present'
  const execution = keys?.executionSince === undefined ? 'absent' : 'present'
  return `capture ${capture}, execution ${execution}`
}

const shownKeys = ({ captureSince, backfillThrough, executionSince }: Keys): Readonly<Record<KeyName, string | null>> => ({
  captureSince: captureSince ?? null,
  backfillThrough: backfillThrough ?? null,
  executionSince: executionSince ?? null,
})

const clausesOf = (table: ObservedTable): ObservedClauses => ({
  ...endStateOf(table),
  missingIndexes: missingIndexesOf(table).map(({ name }) => name),
  narrowMetrics: narrowMetricsOf(table),
})

const sinceOf = (keys: Keys | undefined): Instant | undefined =>
  keys?.executionSince === undefined ? undefined : keyInstantOf(keys.executionSince)

function* population(dialect: Dialect, table: ObservedTable, since: Instant | undefined): Program<PopulationReport> {
  const identity = { column: EXECUTION_COLUMN, absentAs: UNKNOWN_EXECUTION }
  const hasColumn = table.columns.some(({ name }) => name === EXECUTION_COLUMN)
  const { sql, parameters } = renderPopulation(
    subagentContexts,
    { source: 'source', identity: hasColumn ? identity : undefined, since: since === undefined ? undefined : 'observed_at' },
    dialect,
  )
  const bound = since === undefined ? null : DIALECTS[dialect].encodeInstant(since, 'timestamp')
  const groups = yield* query(
    'count rows',
    sql,
    parameters.map(() => bound),
    (row) => ({
      source: readText(row, 0) ?? '',
      isKnown: readInt64(row, 1) === 1n,
      isSince: readInt64(row, 2) === 1n,
      rows: readInt64(row, 3) ?? 0n,
    }),
  )
  const sum = (of: readonly { readonly rows: bigint }[]): bigint => of.reduce((total, { rows }) => total + rows, 0n)
  const sources = [...new Set(groups.map(({ source }) => source))]
  return {
    total: sum(groups),
    bySource: Object.fromEntries(sources.map((source) => [source, sum(groups.filter((group) => group.source === source))])),
    known: sum(groups.filter(({ isKnown }) => isKnown)),
    unknownBefore: sum(groups.filter(({ isKnown, isSince }) => !isKnown && !isSince)),
    unknownSince: sum(groups.filter(({ isKnown, isSince }) => !isKnown && isSince)),
  }
}

/** The host's own index is advised where the health check would read its whole history; it is the host's to create. */
const adviceOf = ({ tables, table }: ActivationState): readonly string[] => {
  const messages = tables.get('task_session_messages')
  const isIndexed = messages?.indexes.some(({ columns, whole }) => whole && columns[0] === 'created_at')
  return [
    ...(table === undefined ? [ADVICE.noTable] : []),
    ...(messages !== undefined && isIndexed !== true ? [ADVICE.noMessageIndex] : []),
  ]
}
