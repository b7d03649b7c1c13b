import { randomUUID } from 'node:crypto'
import type { Ran, Session } from '../adapters/session.ts'
import type { BatchOptions, BatchOutcome, Rows } from '../engine/index.ts'
import type { MergelawError } from '../errors/index.ts'
import type { Tuple, Value } from '../rules/index.ts'
import type { Counting } from './counters.ts'
import type { Failed, Persisted, Recorded } from './outcome.ts'
import { PENDING_ID } from './quick.ts'
import { asMergelawError, failedWith, finishRow, keyOf, prepareFrame, type RowSource, setId, type Unprepared } from './row.ts'
import { runThen } from './run-then.ts'
import { contextTable } from './table.ts'
import { type WriterLog, warnOf, warnOfBatch } from './warn.ts'

/** What the writer shares with its batches. */
export interface Desk {
  readonly source: RowSource
  readonly log: WriterLog
  readonly count: Counting['count']
  readonly onRetry: (error: MergelawError) => void
}

/** Frames by position: an array, or a source that makes each frame when it is asked for, and the same again when asked again. */
export interface Frames {
  readonly length: number
  at(position: number): unknown
}

/** `recordAll` of the writer: its frames in one transaction, folded by key, and what became of each, in their order. */
export const compileRecordAll = <S extends Session>(
  session: S,
  desk: Desk,
): ((frames: Frames) => Ran<S, readonly Recorded[]>) => {
  const { upsertAll } = contextTable(session.dialect)
  return (frames) => {
    // A copy, since the caller may fill its array again before an asynchronous session answers.
    const batch = newBatch(Array.isArray(frames) ? [...frames] : frames, desk)
    return runThen(
      session,
      () => upsertAll(batch.rows, { onRetry: desk.onRetry, onPersisted: batch.persist }),
      batch.finish,
      batch.abandon,
    )
  }
}

interface Batch {
  readonly rows: Rows
  /** A row was committed, with the frames at these positions in it. */
  readonly persist: NonNullable<BatchOptions['onPersisted']>
  readonly finish: (outcome: BatchOutcome) => readonly Recorded[]
  /** The run itself broke: what has no outcome yet is lost. */
  readonly abandon: (error: unknown) => readonly Recorded[]
}

const newBatch = (frames: Frames, { source, log, count }: Desk): Batch => {
  const outcomes: Recorded[] = new Array(frames.length)
  const anomalies = new Map<number, readonly string[]>()
  const sourceOf = remembering(source)
  const settle = (at: number, outcome: Recorded): void => {
    outcomes[at] = count(outcome)
  }
  const settleUnprepared = (at: number, outcome: Unprepared): void => {
    if (outcome.outcome === 'failed') warnOf(log, outcome)
    settle(at, outcome)
  }
  const rowAt = (at: number): Tuple | undefined => {
    const prepared = prepareFrame(frames.at(at), sourceOf(at))
    if (prepared.outcome === 'prepared') {
      if (prepared.anomalies.length > 0) anomalies.set(at, prepared.anomalies)
      return prepared.admitted
    }
    if (outcomes[at] === undefined) settleUnprepared(at, prepared)
    return undefined
  }
  /** Frames that have a row and no outcome yet, as failed. */
  const fail = (positions: Iterable<number>, error: MergelawError): readonly Failed[] =>
    Array.from(positions).flatMap((at) => {
      const row = outcomes[at] === undefined ? rowAt(at) : undefined
      if (row === undefined) return []
      const outcome = failedWith(keyOf(row), anomalies.get(at) ?? NONE, error)
      settle(at, outcome)
      return outcome
    })
  const lose = (positions: Iterable<number>, error: MergelawError): void => {
    const lost = fail(positions, error)
    if (lost.length > 0) warnOfBatch(log, lost, error)
  }
  return {
    rows: { length: frames.length, at: rowAt, finish: source.newId === randomUUID ? finishWithId : finishRow },
    persist: (row, positions) => {
      const usual: Persisted = { outcome: 'persisted', key: keyOf(row), anomalies: NONE }
      let alike = 0
      for (const at of positions) {
        const own = anomalies.size === 0 ? undefined : anomalies.get(at)
        if (own !== undefined) settle(at, { ...usual, anomalies: own })
        else {
          outcomes[at] = usual
          alike++
        }
      }
      if (alike > 0) count(usual, alike)
    },
    finish: ({ failed, lost }) => {
      for (const { at, error } of failed) for (const outcome of fail([at], error)) warnOf(log, outcome)
      if (lost !== undefined) lose(lost.positions, lost.error)
      return outcomes
    },
    abandon: (thrown) => {
      lose(outcomes.keys(), asMergelawError(thrown))
      return outcomes
    },
  }
}

const NONE: readonly string[] = []

const finishWithId = (row: Value[]): void => {
  setId(row, randomUUID())
  finishRow(row)
}

/**
 * The clock, and ids that are the caller's, told once for each position: a row that is made again, to be written alone, is the row it
 * was before, while the rows themselves need not be kept (keeping them costs more than making them). A random id waits until its row
 * is written, since making one takes a third of what reading a frame does.
 */
const remembering = ({ newId, clock }: RowSource): ((at: number) => RowSource) => {
  const instants = new Map<number, string>()
  const ids = new Map<number, string>()
  let position = 0
  const once = (told: Map<number, string>, tell: () => string) => (): string => {
    const before = told.get(position)
    if (before !== undefined) return before
    const value = tell()
    told.set(position, value)
    return value
  }
  const source: RowSource = {
    newId: newId === randomUUID ? () => PENDING_ID : once(ids, newId),
    clock: { now: once(instants, () => clock.now()) },
  }
  return (at) => {
    position = at
    return source
  }
}
