import { setFlagsFromString } from 'node:v8'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Session } from '../adapters/session.ts'
import type { MergelawError } from '../errors/index.ts'
// Not through the folder's index: activation and its SQL would be loaded for nothing.
import type { Counters } from '../subagents/counters.ts'
import type { Failed, Recorded, Rejected } from '../subagents/outcome.ts'
import { createWriter, type Writer } from '../subagents/writer.ts'
import { complain } from './complain.ts'
import { messagesOf, parseLine } from './frames.ts'
import type { Input, Line } from './input.ts'
import { newProgress } from './progress.ts'

/**
 * Frames a transaction: what measured best (bench/README.md).
 *
 * Larger ones commit less, fold more and hold more in memory at once; past these the gain is small.
 */
export const DEFAULT_BATCH: Readonly<Record<Session['dialect'], number>> = { sqlite: 30_000, postgres: 5_000 }

/** V8 would let the heap of a long input grow to several times what is alive of it; collecting it sooner costs a hundredth. */
const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=10')

/** Records every line of an input in batches, says on stderr what became of bad ones, and answers the counters. */
export const recordFrames = async (session: Session, input: Input, batch: number): Promise<Counters> => {
  keepHeapSmall()
  // What becomes of each frame comes back with its place, which the log does not know.
  const writer = createWriter(session, { log: { warn: () => undefined } })
  const progress = newProgress(input.size)
  let waiting: Line[] = []
  const flush = async (): Promise<void> => {
    const sent = waiting
    waiting = []
    const unreadable = new Map<number, Rejected>()
    const outcomes = await writeBatch(writer, sent, unreadable)
    complainAbout(input.name, outcomes, sent, unreadable)
    progress.advance(outcomes, input.taken())
    input.release()
  }
  for await (const lines of input.lines()) {
    for (const line of lines) {
      waiting.push(line)
      if (waiting.length >= batch) await flush()
    }
    // Frames of a slow pipe are not kept waiting for those that are still to come.
    if (waiting.length > 0 && (await input.isIdle())) await flush()
  }
  if (waiting.length > 0) await flush()
  progress.end()
  return writer.counters()
}

/**
 * Lines are parsed when the writer asks for their frame, so that a frame is garbage as soon as its row is made. One that is no JSON is
 * handed on as nothing, which the writer counts as rejected; why is kept in `unreadable`.
 */
const writeBatch = async (
  writer: Writer<Session>,
  lines: readonly Line[],
  unreadable: Map<number, Rejected>,
): Promise<readonly Recorded[]> => {
  const at = (position: number): unknown => {
    const line = lines[position]
    const parsed = line && parseLine(line)
    if (parsed === undefined || isRight(parsed)) return parsed?.right
    unreadable.set(position, parsed.left)
    return undefined
  }
  return lines.length === 1 ? [await writer.record(at(0))] : writer.recordAll({ length: lines.length, at })
}

/** A rejected frame, and one that failed alone, is named by its line; frames that one error failed together are one line. */
const complainAbout = (
  name: string,
  outcomes: readonly Recorded[],
  lines: readonly Line[],
  unreadable: ReadonlyMap<number, Rejected>,
): void => {
  const together = new Map<MergelawError, Together>()
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome.outcome === 'persisted') continue
    const number = lines[at]?.number ?? 0
    if (outcome.outcome === 'rejected') {
      const { problems } = unreadable.get(at) ?? outcome
      complain(`${name} line ${number}: rejected: ${messagesOf(problems)}`)
    }
    if (outcome.outcome !== 'failed') continue
    const group = together.get(outcome.error) ?? { numbers: [], failed: [] }
    group.numbers.push(number)
    group.failed.push(outcome)
    together.set(outcome.error, group)
  }
  for (const [error, { numbers, failed }] of together) complain(`${name} ${failureOf(error, numbers, failed)}`)
}

interface Together {
  readonly numbers: number[]
  readonly failed: Failed[]
}

const failureOf = (error: MergelawError, lines: readonly number[], failed: readonly Failed[]): string => {
  const [first, last] = [failed[0], lines.at(-1)]
  if (failed.length === 1) {
    return `line ${lines[0]}: failed: session ${first?.task_session_id}, tool call ${first?.tool_call_id}: ${error.message}`
  }
  return `lines ${lines[0]} to ${last}: ${failed.length} frames failed together: ${error.message}`
}
