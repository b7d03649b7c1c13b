import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { attempt, type Program, transaction } from '../adapters/program.ts'
import { retrying } from '../adapters/retry.ts'
import type { Dialect } from '../adapters/session.ts'
import type { ErrorCode, MergelawError } from '../errors/index.ts'
import type { Contract, Tuple } from '../rules/index.ts'
import { compileCollect, type Entry } from './entries.ts'
import { finish, type Rows } from './rows.ts'
import { compileWrite, type Progress, type Write } from './write.ts'

/** What became of every row of a batch, by its position in the input. */
export interface BatchOutcome {
  /** How many rows were written, after folding. */
  readonly written: number
  /** Rows that the database refused, each with its own reason. */
  readonly failed: readonly { readonly at: number; readonly error: MergelawError }[]
  /** Rows whose transaction did not commit, for a reason that is not theirs: a lost connection, a full disk. */
  readonly lost: { readonly positions: readonly number[]; readonly error: MergelawError } | undefined
}

export interface BatchOptions {
  /** Rows a step at most: a statement of PostgreSQL, a run of SQLite's. Default 500. */
  readonly chunk?: number
  readonly onRetry?: (error: MergelawError) => void
  /**
   * Told after each commit, for every row written: the row, and the positions of the input rows that went into it. So what is stored
   * is known even when the run itself ends in an error.
   */
  readonly onPersisted?: (row: Tuple, positions: readonly number[]) => void
}

/** Merges many rows of one contract on one database. */
export type UpsertAll = (rows: Rows, options?: BatchOptions) => Program<BatchOutcome>

/** Errors that one row can cause. The batch is narrowed down to it; every other error ends the batch. */
const ROW_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['constraint', 'foreign-key', 'unsupported-value'])

/**
 * Merges many normalised rows, with the outcome of merging them one by one in input order.
 *
 * Rows of one key are folded in memory where `lawsOf(contract)` allows it, then written in one transaction: on PostgreSQL sorted by
 * the whole key and in chunks, on SQLite by one prepared statement. A row that the database refuses does not take the others with
 * it: the batch is narrowed down to it, and the rows that were folded into it are written one by one. What a database refuses
 * because of a value that a later row of the same batch replaced is never sent, and so not refused.
 *
 * SQL: the upsert; on PostgreSQL the one with `SELECT * FROM UNNEST(…)`.
 */
export const compileUpsertAll = (contract: Contract, dialect: Dialect): UpsertAll => {
  const collect = compileCollect(contract, dialect)
  const writeOf = compileWrite(contract, dialect)
  return function* (rows, { chunk = 500, onRetry = () => undefined, onPersisted = () => undefined } = {}) {
    const { entries, membersOf } = collect(rows)
    const batch: Batch = { rows, entries, write: writeOf(chunk), onRetry, onPersisted, failed: [], written: 0, membersOf }
    const lost = yield* writeAll(batch)
    return { written: batch.written, failed: batch.failed, lost }
  }
}

interface Batch {
  readonly rows: Rows
  /** The rows to write, in the order of writing. */
  readonly entries: readonly Entry[]
  readonly membersOf: (entry: Entry) => readonly number[]
  readonly write: Write
  readonly onRetry: (error: MergelawError) => void
  readonly onPersisted: NonNullable<BatchOptions['onPersisted']>
  readonly failed: { at: number; error: MergelawError }[]
  written: number
}

/** Entries from `from` to `to`, that one excluded. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Everything in one transaction; where a row is refused, each part on its own, in order, down to the row. */
function* writeAll(batch: Batch): Program<BatchOutcome['lost']> {
  // The last one is next. A stack and no recursion: a batch may hold any number of refused rows.
  const waiting: Range[] = [{ from: 0, to: batch.entries.length }]
  for (let range = waiting.pop(); range !== undefined; range = waiting.pop()) {
    const entries = batch.entries.slice(range.from, range.to)
    if (entries.length === 0) continue
    const progress: Progress = { chunkAt: 0 }
    const body = (): Program<void> => batch.write.many(entries, progress)
    const written = yield* attempt(retrying(() => transaction('write batch', body), batch.onRetry))
    if (isRight(written)) {
      batch.written += entries.length
      for (const entry of entries) batch.onPersisted(entry.row, batch.membersOf(entry))
      continue
    }
    const error = written.left
    if (!ROW_CODES.has(error.code)) return { positions: unfinished(batch, [range, ...waiting]), error }
    if (entries.length > 1) {
      waiting.push(...narrow(range, progress.chunkAt, error).toReversed())
      continue
    }
    const lost = yield* replay(batch, entries.flatMap(batch.membersOf))
    if (lost !== undefined) {
      return { positions: [...lost.positions, ...unfinished(batch, waiting)], error: lost.error }
    }
  }
  return undefined
}

const unfinished = ({ entries, membersOf }: Batch, ranges: readonly Range[]): readonly number[] =>
  ranges.flatMap(({ from, to }) => entries.slice(from, to).flatMap(membersOf))

/** The parts before, at and behind the refused row where the error tells which it is; else two halves. */
const narrow = ({ from, to }: Range, chunkAt: number, { details }: MergelawError): readonly Range[] => {
  const row = details['row']
  if (typeof row !== 'number' || row < 0 || chunkAt + row >= to - from) {
    const middle = from + ((to - from) >> 1)
    return [
      { from, to: middle },
      { from: middle, to },
    ]
  }
  const at = from + chunkAt + row
  return [
    { from, to: at },
    { from: at, to: at + 1 },
    { from: at + 1, to },
  ]
}

/** The rows behind a refused one, in input order, each in its own statement. */
function* replay(batch: Batch, members: readonly number[]): Program<BatchOutcome['lost']> {
  for (const [done, at] of members.entries()) {
    const row = batch.rows.at(at)
    if (row === undefined) continue
    finish(batch.rows, row)
    const written = yield* attempt(retrying(() => batch.write.one(row), batch.onRetry))
    if (isLeft(written)) {
      const error = written.left
      if (!ROW_CODES.has(error.code)) return { positions: members.slice(done), error }
      batch.failed.push({ at, error })
    } else {
      batch.written += 1
      batch.onPersisted(row, [at])
    }
  }
  return undefined
}
