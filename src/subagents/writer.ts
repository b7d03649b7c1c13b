import { randomUUID } from 'node:crypto'
import type { Program } from '../adapters/program.ts'
import { retrying } from '../adapters/retry.ts'
import type { Ran, Session } from '../adapters/session.ts'
import { compileRecordAll, type Frames } from './batch-writer.ts'
import { type Clock, heldToText, systemClock } from './clock.ts'
import { type Counters, newCounting } from './counters.ts'
import type { Recorded } from './outcome.ts'
import { failedWith, finishRow, keyOf, prepareFrame, type RowSource } from './row.ts'
import { answerNow, runThen } from './run-then.ts'
import { contextTable } from './table.ts'
import { type WriterLog, warnOf } from './warn.ts'

export type { Frames } from './batch-writer.ts'
export type { BatchWarning, Warning, WriterLog } from './warn.ts'

export interface WriterOptions {
  readonly log: WriterLog
  /** The observation time of frames that carry none. Default: `systemClock()`. */
  readonly clock?: Clock
  /** The id of a new row. Default: a random UUID. */
  readonly newId?: () => string
}

export interface Writer<S extends Session> {
  /**
   * Records one frame and tells what became of it: at once on a synchronous session, as a promise on an asynchronous one.
   *
   * Never throws and never rejects, whatever the frame, the database, the clock or the log do (AC-27). A frame that arrived as text
   * goes through `parseFrameText` first. SQL: the contract's upsert, one statement (AC-14).
   */
  readonly record: (frame: unknown) => Ran<S, Recorded>
  /**
   * Records many frames in one transaction and tells what became of each, in their order: what recording them one by one would.
   *
   * Frames of one row are folded in memory and written once, which is many times faster; the counters still count frames. Frames of
   * a row that the database refuses are written one by one, those that fail have a warning each, and all others are stored. An error
   * that is no frame's own (a lost connection, a full disk) fails every frame whose transaction has not committed, with one warning.
   * Never throws and never rejects. Do not change the frames before it answers. Refused inside a transaction of the host (every
   * frame fails with 'usage'). SQL: the contract's upsert, on PostgreSQL with `SELECT * FROM UNNEST(…)`.
   */
  readonly recordAll: (frames: Frames) => Ran<S, readonly Recorded[]>
  /** AC-26, as a snapshot. */
  readonly counters: () => Counters
  /** How often a statement or a transaction was run again after busy, a serialization failure or a deadlock. */
  readonly retries: () => number
}

/** The writer of `task_session_subagents`. Its counters start at zero. */
export const createWriter = <S extends Session>(session: S, options: WriterOptions): Writer<S> => {
  const source: RowSource = { clock: heldToText(options.clock ?? systemClock()), newId: options.newId ?? randomUUID }
  const table = contextTable(session.dialect)
  const { count, snapshot } = newCounting()
  let retries = 0
  const onRetry = (): void => void retries++
  const finish = (outcome: Recorded): Recorded => {
    if (outcome.outcome === 'failed') warnOf(options.log, outcome)
    return count(outcome)
  }
  return {
    record: (frame) => {
      const prepared = prepareFrame(frame, source)
      if (prepared.outcome !== 'prepared') return answerNow(session, finish(prepared))
      const { anomalies } = prepared
      const tuple = finishRow(prepared.admitted)
      const upsert = (): Program<void> => retrying(() => table.upsert(tuple), onRetry)
      return runThen(
        session,
        upsert,
        () => finish({ outcome: 'persisted', key: keyOf(tuple), anomalies }),
        (error) => finish(failedWith(keyOf(tuple), anomalies, error)),
      )
    },
    recordAll: compileRecordAll(session, { source, log: options.log, count, onRetry }),
    counters: snapshot,
    retries: () => retries,
  }
}
