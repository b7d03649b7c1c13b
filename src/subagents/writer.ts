import { randomUUID } from 'node:crypto'
import type { Program } from '../adapters/program.ts'
import type { Ran, Session } from '../adapters/session.ts'
import type { ErrorCode } from '../errors/index.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Counters, newCounting } from './counters.ts'
import type { Failed, Recorded } from './outcome.ts'
import { failedWith, type Prepared, prepareFrame, type RowSource } from './row.ts'
import { contextTable } from './table.ts'

/** What a warning carries (AC-27): whose frame it was, and why it was not written. */
export interface Warning {
  readonly task_session_id: string
  readonly tool_call_id: string
  readonly code: ErrorCode
  readonly error: string
}

/** Where warnings go; any pino logger fits. */
export interface WriterLog {
  warn(fields: Warning, message: string): void
}

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
  record(frame: unknown): Ran<S, Recorded>
  /** AC-26, as a snapshot. */
  counters(): Counters
}

/** The writer of `task_session_subagents`: one frame, one upsert. Its counters start at zero. */
export const createWriter = <S extends Session>(session: S, options: WriterOptions): Writer<S> => {
  const source: RowSource = { clock: options.clock ?? systemClock(), newId: options.newId ?? randomUUID }
  const table = contextTable(session.dialect)
  const { count, snapshot } = newCounting()
  const finish = (outcome: Recorded): Recorded => {
    if (outcome.outcome === 'failed') warn(options.log, outcome)
    return count(outcome)
  }
  return {
    record: (frame) => {
      const prepared = prepareFrame(frame, source)
      if (prepared.outcome !== 'prepared') return answerNow(session, finish(prepared))
      const upsert = (): Program<void> => table.upsert(prepared.tuple)
      return runThen(
        session,
        upsert,
        () => finish(persisted(prepared)),
        (error) => finish(failedOf(prepared, error)),
      )
    },
    counters: snapshot,
  }
}

const persisted = ({ key, anomalies }: Prepared): Recorded => ({ outcome: 'persisted', key, anomalies })

const failedOf = ({ key, anomalies }: Prepared, error: unknown): Failed => failedWith(key, anomalies, error)

/** One WARN per failure; a log that fails itself, at once or later, changes nothing. */
const warn = (log: WriterLog, { task_session_id, tool_call_id, error }: Failed): void => {
  const fields: Warning = { task_session_id, tool_call_id, code: error.code, error: error.message }
  try {
    const answer: unknown = log.warn(fields, 'A subagent context was not written.')
    if (answer instanceof Promise) answer.catch(() => undefined)
  } catch {
    // Telemetry never breaks the product path (AC-27), and its log even less; the counter and the outcome still tell.
  }
}

const answerNow = <S extends Session, T>(session: S, value: T): Ran<S, T> =>
  // Both arms are exactly Ran<S, T>; the compiler cannot follow the mode into a conditional type.
  (session.mode === 'sync' ? value : Promise.resolve(value)) as Ran<S, T>

/** Runs a program and answers with `done` or `broken`, in the session's own mode; nothing is thrown and no promise rejects. */
const runThen = <S extends Session, T>(
  session: S,
  program: () => Program<unknown>,
  done: () => T,
  broken: (error: unknown) => T,
): Ran<S, T> => {
  const later = async (run: Extract<Session, { mode: 'async' }>): Promise<T> => {
    try {
      await run.run(program())
    } catch (error) {
      return broken(error)
    }
    return done()
  }
  const now = (run: Extract<Session, { mode: 'sync' }>): T => {
    try {
      run.run(program())
    } catch (error) {
      return broken(error)
    }
    return done()
  }
  // As in answerNow.
  return (session.mode === 'sync' ? now(session) : later(session)) as Ran<S, T>
}
