import { setTimeout } from 'node:timers/promises'
import { driveAsync } from './drive.ts'
import { databaseError, type Place } from './errors.ts'
import { readPgError, spoilsConnection } from './pg-errors.ts'
import { bound, type PgClient, type PgQuery, type PgResult, simple } from './pg-query.ts'
import { type Answer, BrokenConnection, type Program, type SqlRow, type Step } from './program.ts'
import {
  enterTransaction,
  leavesTransaction,
  leftOpen,
  newScope,
  requireTransaction,
  rolledBackByDatabase,
  type Scope,
} from './scope.ts'

export interface PgOptions {
  /** Prepared statements on the server, by name (default). Use false behind a pooler that may hand every transaction to another server. */
  readonly prepare?: boolean
}

/** How a run ended, and what it means for its connection. */
export interface Outcome<T> {
  readonly ended: { readonly value: T } | { readonly error: unknown }
  /** Why the connection must not be used again; undefined when it may. */
  readonly spoiled: unknown
  /** True when a transaction may still be open on it. */
  readonly stuck: boolean
}

export const unwrap = <T>({ ended }: Outcome<T>): T => {
  if ('error' in ended) throw ended.error
  return ended.value
}

interface Run {
  readonly take: () => Promise<PgClient>
  readonly prepare: boolean
  /** Known from the first step on. */
  held?: { readonly client: PgClient; readonly scope: Scope }
  spoiled: unknown
  stuck: boolean
}

/** Runs a program on one connection and ends the transaction it may have left open. Never rejects. */
export const runOn = async <T>(
  program: Program<T>,
  take: () => Promise<PgClient>,
  { prepare = true }: PgOptions,
): Promise<Outcome<T>> => {
  const run: Run = { take, prepare, spoiled: undefined, stuck: false }
  let ended: Outcome<T>['ended']
  try {
    ended = { value: await driveAsync(program, (step) => answer(run, step)) }
  } catch (error) {
    ended = { error }
    if (error instanceof BrokenConnection) run.spoiled ??= error
  }
  if (isLeftOpen(run)) {
    await rollBackLeftOver(run)
    if ('value' in ended) ended = { error: leftOpen() }
  }
  return { ended, spoiled: run.spoiled, stuck: run.stuck }
}

const isLeftOpen = ({ held }: Run): boolean =>
  held !== undefined && !held.scope.host && (held.scope.open || isInTransaction(held.client))

/** Tried even on a connection that is to be discarded: where it still works, the locks are gone when the run ends. */
const rollBackLeftOver = async (run: Run): Promise<void> => {
  try {
    await run.held?.client.query(simple('ROLLBACK'))
  } catch (error) {
    run.spoiled ??= error
    run.stuck = true
  }
}

const isInTransaction = (client: PgClient): boolean => {
  const status = client.getTransactionStatus?.()
  return status === 'T' || status === 'E'
}

const NOTHING: Answer = { rows: [], changes: 0 }

const answer = async (run: Run, step: Step): Promise<Answer> => {
  if (step.kind === 'rollback' && run.held === undefined) return NOTHING
  if (step.kind === 'wait') return setTimeout(step.milliseconds, NOTHING)
  const { client, scope } = run.held ?? (await hold(run, step))
  switch (step.kind) {
    case 'begin':
      enterTransaction(scope, step.name)
      return ask(run, client, simple('BEGIN'), { step: step.name, sql: 'BEGIN' })
    case 'commit':
      requireTransaction(scope, step.name)
      return commit(run, client, scope, step.name)
    case 'rollback':
      if (!leavesTransaction(scope)) return NOTHING
      await ask(run, client, simple('ROLLBACK'), { step: step.name, sql: 'ROLLBACK' })
      scope.open = false
      return NOTHING
    case 'script':
      await ask(run, client, simple(step.sql), { step: step.name, sql: step.sql })
      return NOTHING
    case 'query': {
      const place = { step: step.name, sql: step.sql }
      return ask(run, client, bound(place, step.params, run.prepare && step.prepare), place)
    }
    case 'runMany':
      return runMany(run, client, step)
  }
}

const hold = async (run: Run, step: Step): Promise<NonNullable<Run['held']>> => {
  try {
    const client = await run.take()
    run.held = { client, scope: newScope(isInTransaction(client)) }
    return run.held
  } catch (error) {
    throw databaseError(error, { step: `${step.name} (connecting)` }, (cause) => ({ ...readPgError(cause), code: 'connection' }))
  }
}

/** PostgreSQL answers COMMIT of a failed transaction with the tag ROLLBACK and no error. */
const commit = async (run: Run, client: PgClient, scope: Scope, step: string): Promise<Answer> => {
  const result = await send(run, client, simple('COMMIT'), { step, sql: 'COMMIT' }, UNKNOWN_OUTCOME)
  scope.open = false
  if (result?.command === 'ROLLBACK') throw rolledBackByDatabase(step)
  return NOTHING
}

const UNKNOWN_OUTCOME = 'Whether it was committed is not known: look for its rows before running it again.'

const runMany = async (run: Run, client: PgClient, step: Extract<Step, { kind: 'runMany' }>): Promise<Answer> => {
  let changes = 0
  for (const [row, params] of step.rows.entries()) {
    const place = { step: step.name, sql: step.sql, row }
    changes += (await ask(run, client, bound(place, params, run.prepare), place)).changes
  }
  return { rows: [], changes }
}

const CHANGES_ROWS: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

const ask = async (run: Run, client: PgClient, query: PgQuery, place: Place): Promise<Answer> => {
  const result = await send(run, client, query, place)
  if (result === undefined) return NOTHING
  // rowMode 'array' makes every row one.
  const rows = result.rows as readonly SqlRow[]
  return { rows, changes: CHANGES_ROWS.has(result.command) ? (result.rowCount ?? 0) : 0 }
}

/** Sends one query; of several statements in one text the last result is the answer. */
const send = async (
  run: Run,
  client: PgClient,
  query: PgQuery,
  place: Place,
  lostAdvice?: string,
): Promise<PgResult | undefined> => {
  try {
    const result = await client.query(query)
    return isList(result) ? result.at(-1) : result
  } catch (error) {
    if (spoilsConnection(error)) run.spoiled ??= error
    throw databaseError(error, place, (cause) => {
      const reading = readPgError(cause)
      return reading.code === 'connection' && lostAdvice !== undefined ? { ...reading, advice: lostAdvice } : reading
    })
  }
}

const isList = (result: PgResult | readonly PgResult[]): result is readonly PgResult[] => Array.isArray(result)
