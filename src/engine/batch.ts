import { isRight } from 'fp-ts/lib/Either.js'
import { attempt, execute, type Program, runMany, transaction } from '../adapters/program.ts'
import { retrying } from '../adapters/retry.ts'
import type { Dialect } from '../adapters/session.ts'
import type { ErrorCode, MergelawError } from '../errors/index.ts'
import { type Contract, compileReducer, type Group, keyTextOf, lawsOf, type Tuple } from '../rules/index.ts'
import { codecOf, renderUpsert } from '../sql-render/index.ts'
import { chunksOf, sortByKey } from './chunk.ts'

/** What became of every row of a batch, by its position in the input. */
export interface BatchOutcome {
  readonly persisted: readonly number[]
  /** Rows that the database refused, each with its own reason. */
  readonly failed: readonly { readonly at: number; readonly error: MergelawError }[]
  /** Rows whose transaction did not commit, for a reason that is not theirs: a lost connection, a full disk. */
  readonly lost: { readonly positions: readonly number[]; readonly error: MergelawError } | undefined
}

export interface BatchOptions {
  /** Rows a statement at most (PostgreSQL). Default 500. */
  readonly chunk?: number
  readonly onRetry?: (error: MergelawError) => void
  /** Told after each commit, so that what is stored is known even when the run itself ends in an error. */
  readonly onPersisted?: (positions: readonly number[]) => void
}

/** Errors that one row can cause. The batch is narrowed down to it; every other error ends the batch. */
const ROW_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['constraint', 'foreign-key', 'unsupported-value'])

/**
 * Merges many normalised rows, with the outcome of merging them one by one in input order.
 *
 * Rows of one key are folded in memory where `lawsOf(contract)` allows it, then written in one transaction: on PostgreSQL sorted by
 * the whole key and in chunks, on SQLite by one prepared statement. A row that the database refuses does not take the others with
 * it: the batch is halved down to it, and the rows that were folded into it are written one by one.
 *
 * SQL: the upsert; on PostgreSQL the one with `SELECT * FROM UNNEST(…)`.
 */
export const compileUpsertAll = (
  contract: Contract,
  dialect: Dialect,
): ((rows: readonly Tuple[], options?: BatchOptions) => Program<BatchOutcome>) => {
  const reducer = compileReducer(contract)
  const write = compileWrite(contract, dialect)
  const foldable = lawsOf(contract).contract.includes('foldable')
  const keyAt = contract.key.map((name) => reducer.names.indexOf(name))
  return function* (rows, options = {}) {
    const { chunk = 500, onRetry = () => undefined, onPersisted = () => undefined } = options
    const groups = foldable ? reducer.group(rows) : rows.map((row, at): Group => ({ row, members: [at] }))
    const ordered = foldable && dialect === 'postgres' ? sortByKey(groups, keyAt) : groups
    const chunks = dialect === 'postgres' ? chunksOf(ordered, chunk, keyTextOf(keyAt)) : [ordered]
    const persisted: number[] = []
    const keep = (positions: readonly number[]): void => {
      for (const at of positions) persisted.push(at)
      onPersisted(positions)
    }
    const batch: Batch = { rows, write, onRetry, keep, failed: [], lost: [], reason: undefined }
    yield* writeOrNarrow(batch, chunks)
    const { failed, lost, reason } = batch
    return { persisted, failed, lost: reason === undefined ? undefined : { positions: lost, error: reason } }
  }
}

interface Batch {
  readonly rows: readonly Tuple[]
  readonly write: Write
  readonly onRetry: (error: MergelawError) => void
  readonly keep: (positions: readonly number[]) => void
  readonly failed: { at: number; error: MergelawError }[]
  readonly lost: number[]
  /** Why the batch ended early. */
  reason: MergelawError | undefined
}

type Chunks = readonly (readonly Group[])[]

/** All chunks in one transaction; where a row is refused, each half on its own, down to the row. */
function* writeOrNarrow(batch: Batch, chunks: Chunks): Program<void> {
  const members = chunks.flatMap((groups) => groups.flatMap((group) => group.members))
  if (members.length === 0) return
  if (batch.reason !== undefined) {
    for (const at of members) batch.lost.push(at)
    return
  }
  const written = yield* attempt(retrying(() => transaction('write batch', () => writeChunks(batch, chunks)), batch.onRetry))
  if (isRight(written)) {
    batch.keep(members)
    return
  }
  if (!ROW_CODES.has(written.left.code)) {
    batch.reason = written.left
    for (const at of members) batch.lost.push(at)
    return
  }
  const halves = split(chunks)
  if (halves === undefined) yield* replay(batch, members)
  else for (const half of halves) yield* writeOrNarrow(batch, half)
}

function* writeChunks(batch: Batch, chunks: Chunks): Program<void> {
  for (const groups of chunks) yield* batch.write.many(groups.map(({ row }) => row))
}

/** Two halves in order, of the chunks or of the only one; undefined for a single row. */
const split = (chunks: Chunks): readonly [Chunks, Chunks] | undefined => {
  const half = chunks.length >> 1
  if (half > 0) return [chunks.slice(0, half), chunks.slice(half)]
  const [groups = []] = chunks
  const middle = groups.length >> 1
  return middle === 0 ? undefined : [[groups.slice(0, middle)], [groups.slice(middle)]]
}

/** The rows behind a refused one, in input order, each in its own statement. */
function* replay(batch: Batch, members: readonly number[]): Program<void> {
  for (const at of members) {
    const row = batch.rows[at]
    if (row === undefined || batch.reason !== undefined) {
      batch.lost.push(at)
      continue
    }
    const written = yield* attempt(retrying(() => batch.write.one(row), batch.onRetry))
    if (isRight(written)) batch.keep([at])
    else if (ROW_CODES.has(written.left.code)) batch.failed.push({ at, error: written.left })
    else {
      batch.reason = written.left
      batch.lost.push(at)
    }
  }
}

interface Write {
  readonly one: (row: Tuple) => Program<number>
  readonly many: (rows: readonly Tuple[]) => Program<number>
}

const compileWrite = (contract: Contract, dialect: Dialect): Write => {
  const codec = codecOf(contract, dialect)
  const { sql } = renderUpsert(contract, dialect)
  const name = `upsert ${contract.table}`
  const one = (row: Tuple): Program<number> => execute(name, sql, codec.encode(row))
  if (dialect === 'sqlite') return { one, many: (rows) => runMany(name, sql, rows.map(codec.encode)) }
  const arrays = renderUpsert(contract, dialect, { arrays: true }).sql
  return { one, many: (rows) => execute(name, arrays, codec.encodeArrays(rows.map(codec.encode))) }
}
