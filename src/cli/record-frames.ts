import { isLeft } from 'fp-ts/lib/Either.js'
import type { Session } from '../adapters/session.ts'
import type { MergelawError } from '../errors/index.ts'
import { type Counters, createWriter, type Failed, type Recorded, type Writer } from '../subagents/index.ts'
import { complain } from './complain.ts'
import { messagesOf, parseLine } from './frames.ts'
import type { Input } from './input.ts'
import { newProgress } from './progress.ts'

/**
 * Frames a transaction: what measured best (bench/README.md).
 *
 * Larger ones fold more and commit less, and hold more in memory; past these numbers nothing is gained.
 */
export const DEFAULT_BATCH: Readonly<Record<Session['dialect'], number>> = { sqlite: 10_000, postgres: 10_000 }

/** Records every line of an input in batches, says on stderr what became of bad ones, and answers the counters. */
export const recordFrames = async (session: Session, input: Input, batch: number): Promise<Counters> => {
  // What becomes of each frame comes back with its place, which the log does not know.
  const writer = createWriter(session, { log: { warn: () => undefined } })
  const progress = newProgress(input.size)
  let [unreadable, frames, rows] = [0, 0, 0]
  let waiting: Waiting = { frames: [], numbers: [] }
  const flush = async (): Promise<void> => {
    const { frames: sent, numbers } = waiting
    waiting = { frames: [], numbers: [] }
    const outcomes = await writeBatch(writer, sent, batch)
    complainAbout(input.name, outcomes, numbers)
    frames += sent.length
    rows += rowsIn(outcomes)
    progress.advance({ frames, rows, bytes: input.taken() })
  }
  for await (const lines of input.lines()) {
    for (const line of lines) {
      const parsed = parseLine(line)
      if (isLeft(parsed)) {
        unreadable++
        complain(`${input.name} line ${line.number}: rejected: ${messagesOf(parsed.left.problems)}`)
        continue
      }
      waiting.frames.push(parsed.right)
      waiting.numbers.push(line.number)
      if (waiting.frames.length >= batch) await flush()
    }
    // Frames of a slow pipe are not kept waiting for those that are still to come.
    if (waiting.frames.length > 0 && (await input.isIdle())) await flush()
  }
  if (waiting.frames.length > 0) await flush()
  progress.end()
  const counters = writer.counters()
  return { ...counters, rejected: counters.rejected + unreadable }
}

/** Parsed lines that are not written yet, and their numbers. */
interface Waiting {
  readonly frames: unknown[]
  readonly numbers: number[]
}

const writeBatch = async (writer: Writer<Session>, frames: readonly unknown[], batch: number): Promise<readonly Recorded[]> =>
  batch === 1 ? [await writer.record(frames[0])] : writer.recordAll(frames)

/** Frames of one row share its key object. */
const rowsIn = (outcomes: readonly Recorded[]): number =>
  new Set(outcomes.map((outcome) => (outcome.outcome === 'persisted' ? outcome.key : undefined)).filter((key) => key !== undefined)).size

/** A rejected frame, and one that failed alone, is named by its line; frames that one error failed together are one line. */
const complainAbout = (name: string, outcomes: readonly Recorded[], numbers: readonly number[]): void => {
  const together = new Map<MergelawError, { readonly numbers: number[]; readonly failed: Failed[] }>()
  for (const [at, outcome] of outcomes.entries()) {
    const number = numbers[at] ?? 0
    if (outcome.outcome === 'rejected') complain(`${name} line ${number}: rejected: ${messagesOf(outcome.problems)}`)
    if (outcome.outcome !== 'failed') continue
    const group = together.get(outcome.error) ?? { numbers: [], failed: [] }
    group.numbers.push(number)
    group.failed.push(outcome)
    together.set(outcome.error, group)
  }
  for (const [error, { numbers: lines, failed }] of together) complain(`${name} ${failureOf(error, lines, failed)}`)
}

const failureOf = (error: MergelawError, lines: readonly number[], failed: readonly Failed[]): string => {
  const [first, last] = [failed[0], lines.at(-1)]
  if (failed.length === 1) {
    return `line ${lines[0]}: failed: session ${first?.task_session_id}, tool call ${first?.tool_call_id}: ${error.message}`
  }
  return `lines ${lines[0]} to ${last}: ${failed.length} frames failed together: ${error.message}`
}
