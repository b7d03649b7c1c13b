import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { MergelawError } from '../errors/index.ts'
import { checkParams } from './bind.ts'
import { keepNewest } from './cache.ts'
import { driveAsync } from './drive.ts'
import { databaseError, type Place } from './errors.ts'
import { readPgError, spoilsConnection } from './pg-errors.ts'
import { type Answer, BrokenConnection, type Program, type SqlRow, type SqlValue, type Step } from './program.ts'
import { enterTransaction, leavesTransaction, leftOpen, newScope, requireTransaction, rolledBackByDatabase, type Scope } from './scope.ts'

/** What the session hands to `client.query`. */
export interface PgQuery {
  text: string
  values?: (string | null)[]
  name?: string
  queryMode?: 'extended'
  rowMode: 'array'
  types: { getTypeParser(oid: number, format?: string): (value: string) => unknown }
}

export interface PgResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly unknown[]
}

/** The slice of a pg Client that the session uses. */
export interface PgClient {
  query(query: PgQuery): Promise<PgResult | readonly PgResult[]>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  /** 'I' outside a transaction, 'T' inside, 'E' inside a failed one. */
  getTransactionStatus?(): string | null
}

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
export const runOn = async <T>(program: Program<T>, take: () => Promise<PgClient>, { prepare = true }: PgOptions): Promise<Outcome<T>> => {
  const run: Run = { take, prepare, spoiled: undefined, stuck: false }
  let ended: Outcome<T>['ended']
  try {
    ended = { value: await driveAsync(program, (step) => answer(run, step)) }
  } catch (error) {
    ended = { error }
    if (error instanceof BrokenConnection) run.spoiled ??= error
  }
  const left = await rollBackLeftOver(run)
  if (left && 'value' in ended) ended = { error: leftOpen() }
  return { ended, spoiled: run.spoiled, stuck: run.stuck }
}

/** Tried even on a connection that is to be discarded: where it still works, the locks are gone when the run ends. */
const rollBackLeftOver = async (run: Run): Promise<boolean> => {
  const { held } = run
  if (held === undefined || held.scope.host || !(held.scope.open || isInTransaction(held.client))) return false
  try {
    await held.client.query(simple('ROLLBACK'))
  } catch (error) {
    run.spoiled ??= error
    run.stuck = true
  }
  return true
}

const isInTransaction = (client: PgClient): boolean => {
  const status = client.getTransactionStatus?.()
  return status === 'T' || status === 'E'
}

const NOTHING: Answer = { rows: [], changes: 0 }

const answer = async (run: Run, step: Step): Promise<Answer> => {
  if (step.kind === 'rollback' && run.held === undefined) return NOTHING
  if (step.kind === 'wait') return setTimeout(step.milliseconds, NOTHING)
  const { client, scope } = (run.held ??= await hold(run, step))
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
    return { client, scope: newScope(isInTransaction(client)) }
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
const send = async (run: Run, client: PgClient, query: PgQuery, place: Place, lostAdvice?: string): Promise<PgResult | undefined> => {
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

/** Values as the server wrote them. A client set to binary results would deliver bytes instead, which no decoder reads. */
const RAW_TEXT: PgQuery['types'] = { getTypeParser: (_oid, format) => (format === 'binary' ? refuseBinary : (value) => value) }

const refuseBinary = (): never => {
  throw new MergelawError('usage', 'The pg client asks for binary results, which are not supported. Connect it without `binary: true`.')
}

/** A text without parameters, through the simple protocol: it may hold several statements. */
export const simple = (text: string): PgQuery => ({ text, types: RAW_TEXT, rowMode: 'array' })

/** Hazard 49: past this the protocol's count wraps around, and the server's error blames the client. */
const MAX_PARAMS = 65_535

const bound = (place: Place & { readonly sql: string }, params: readonly SqlValue[], prepare: boolean): PgQuery => {
  checkParams(place, params)
  if (params.length > MAX_PARAMS) {
    const message = `"${place.step}" failed: it binds ${params.length} parameters, and PostgreSQL takes ${MAX_PARAMS}. Split it into smaller chunks.`
    throw new MergelawError('unsupported-value', message, { details: { ...place, parameters: params.length } })
  }
  const values = params.map((value) => (typeof value === 'bigint' ? value.toString() : value))
  const query: PgQuery = { text: place.sql, values, queryMode: 'extended', types: RAW_TEXT, rowMode: 'array' }
  return prepare ? { ...query, name: statementName(place.sql) } : query
}

const NAMES_KEPT = 1000

/** One name per text: pg refuses a name that stands for two texts, and the server cuts names at 63 bytes. */
const statementName = keepNewest(NAMES_KEPT, (sql) => `mergelaw_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`)
