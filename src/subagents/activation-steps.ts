import { type Program, script } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { LIMIT_WAIT, renderDropIndex, renderIndexes } from '../sql-render/index.ts'
import type { ActivationStep } from './activation-report.ts'
import type { ActivationState, HOST_TABLES, StepEnd } from './activation-state.ts'
import { type BackfillReport, backfillSteps } from './backfill.ts'
import type { Clock } from './clock.ts'
import { subagentContexts } from './contract.ts'
import { missingIndexesOf, narrowMetricsOf } from './end-state.ts'
import { requireReadableColumns } from './host-columns.ts'
import { insertKey, keyTextOf } from './keys.ts'
import type { ObservedTable } from './observe.ts'
import { contextTable } from './table.ts'
import { upgradeKey } from './upgrade.ts'
import { widenMetrics } from './upgrade-postgres.ts'
import { withoutForeignKeys } from './upgrade-sqlite.ts'

const contract = subagentContexts

/** One step: decided by observation alone, before the lock and again under it. */
export interface StepDefinition {
  readonly step: ActivationStep
  /** Decides by the keys; the others must not need a `kandev_meta` that can be read. */
  readonly readsKeys?: true
  /** Is there anything to do? */
  readonly isNeeded: (state: ActivationState) => boolean
  /** The step whose outcome this one waits for, where the state does not allow it yet. */
  readonly waitsFor?: (state: ActivationState) => ActivationStep | undefined
  /** Wraps the transaction in what can only be done outside it. */
  readonly around?: (body: () => Program<StepEnd>) => Program<StepEnd>
  /** Does it, inside a transaction that holds the lock. */
  readonly change: (state: ActivationState) => Program<BackfillReport | undefined>
}

/** The steps in the order of AC-33c: the shape and its key before the backfill. */
export const activationSteps = (dialect: Dialect, clock: Clock): readonly StepDefinition[] => [
  schema(dialect),
  upgrade(dialect),
  metrics,
  indexes(dialect),
  executionSince(dialect, clock),
  backfill(dialect, clock),
]

const waitsForTable = ({ table }: ActivationState): ActivationStep | undefined => (table === undefined ? 'schema' : undefined)

/** AC-33c: neither key, and no backfill, on a table of another shape. */
const waitsForEndState = (state: ActivationState): ActivationStep | undefined =>
  waitsForTable(state) ?? (state.endState ? undefined : 'upgrade')

/** A count beyond 32 bits would fail the whole backfill, at every start, while a metric is that narrow. */
const waitsForMetrics = (state: ActivationState): ActivationStep | undefined =>
  waitsForEndState(state) ?? (state.table !== undefined && narrowMetricsOf(state.table).length > 0 ? 'metrics' : undefined)

const schema = (dialect: Dialect): StepDefinition => ({
  step: 'schema',
  isNeeded: ({ table }) => table === undefined,
  *change(state) {
    requireHostTable(state, 'task_sessions')
    yield* contextTable(dialect).create()
    return undefined
  },
})

const upgrade = (dialect: Dialect): StepDefinition => {
  const change = upgradeKey(dialect)
  return {
    step: 'upgrade',
    isNeeded: ({ endState }) => !endState,
    waitsFor: waitsForTable,
    ...(dialect === 'sqlite' ? { around: withoutForeignKeys } : {}),
    *change(state) {
      requireHostTable(state, 'task_sessions')
      yield* change(tableOf(state))
      return undefined
    },
  }
}

const metrics: StepDefinition = {
  step: 'metrics',
  isNeeded: ({ table }) => table === undefined || narrowMetricsOf(table).length > 0,
  waitsFor: waitsForTable,
  *change(state) {
    yield* widenMetrics(narrowMetricsOf(tableOf(state)))
    return undefined
  },
}

const indexes = (dialect: Dialect): StepDefinition => ({
  step: 'indexes',
  isNeeded: ({ table }) => table === undefined || missingIndexesOf(table).length > 0,
  waitsFor: waitsForTable,
  *change(state) {
    const table = tableOf(state)
    const missing = missingIndexesOf(table).map(({ name }) => name)
    const limit = LIMIT_WAIT[dialect]
    if (limit !== undefined) yield* script('limit the wait', limit)
    // Under one of our names, but over other columns: IF NOT EXISTS would keep it.
    for (const { name } of table.indexes.filter((index) => missing.includes(index.name))) {
      yield* script(`drop index ${name}`, renderDropIndex({ schema: table.schema, name }, dialect))
    }
    for (const { name, sql } of renderIndexes(contract, dialect, missing)) yield* script(name, sql)
    return undefined
  },
})

const executionSince = (dialect: Dialect, clock: Clock): StepDefinition => {
  const insert = insertKey(dialect)
  return {
    step: 'execution_since',
    readsKeys: true,
    isNeeded: ({ keys }) => keys?.executionSince === undefined,
    waitsFor: waitsForEndState,
    *change(state) {
      requireHostTable(state, 'kandev_meta')
      yield* insert('executionSince', keyTextOf(clock.now()))
      return undefined
    },
  }
}

/**
 * AC-24d: the history and its two keys in one transaction. The guard is both keys; `through` was taken over the insert's own snapshot;
 * `capture_since` is sampled after the insert and before the key writes, since too early would claim what nothing covered.
 */
const backfill = (dialect: Dialect, clock: Clock): StepDefinition => {
  const insert = insertKey(dialect)
  const steps = backfillSteps(dialect)
  return {
    step: 'backfill',
    readsKeys: true,
    isNeeded: ({ keys }) => keys?.captureSince === undefined || keys.backfillThrough === undefined,
    waitsFor: waitsForMetrics,
    *change(state) {
      requireHostTable(state, 'kandev_meta')
      requireReadableColumns(requireHostTable(state, 'task_session_messages'))
      const report = yield* steps()
      const captured = keyTextOf(clock.now())
      yield* insert('captureSince', captured)
      yield* insert('backfillThrough', report.through)
      return report
    },
  }
}

const tableOf = ({ table }: ActivationState): ObservedTable => {
  if (table === undefined)
    throw new MergelawError('missing-table', `${contract.table} does not exist.`, { details: { table: contract.table } })
  return table
}

/** The host's tables are the host's to create: without them this is no database of a host, or not yet. */
const requireHostTable = ({ tables }: ActivationState, table: (typeof HOST_TABLES)[number]): ObservedTable => {
  const observed = tables.get(table)
  if (observed !== undefined) return observed
  throw new MergelawError(
    'missing-table',
    `The host's table ${table} does not exist. Start the host once, or create it with: mergelaw init`,
    {
      details: { table },
    },
  )
}
