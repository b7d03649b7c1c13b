import { isLeft } from 'fp-ts/lib/Either.js'
import { MergelawError } from '../errors/index.ts'
import { compileNormalise, compileNormaliser, type Incoming, type Notes, type Tuple, type Value } from '../rules/index.ts'
import { storableText } from '../util/text.ts'
import type { Clock } from './clock.ts'
import { subagentContexts } from './contract.ts'
import { decodeFrame, type Frame } from './frame.ts'
import type { Failed, Ignored, Rejected, RowKey, Skipped } from './outcome.ts'
import { everydayValues } from './quick.ts'
import { isTerminalToolStatus } from './terminal.ts'

/** Where a row's two values come from that no frame carries. */
export interface RowSource {
  readonly clock: Clock
  readonly newId: () => string
}

/** A frame that can be written: its row in the contract's column order, which `finishRow` completes. */
export interface Prepared {
  readonly outcome: 'prepared'
  readonly admitted: Value[]
  readonly anomalies: readonly string[]
}

/** What a frame is when it is not ready to be written. */
export type Unprepared = Failed | Skipped | Ignored | Rejected

/** From a frame to its row, or to why there is none. Never throws. */
export const prepareFrame = (sent: unknown, source: RowSource): Prepared | Unprepared =>
  prepareEveryday(sent, source) ?? prepareDecoded(sent, source)

/** The short way, for the frames that are as they should be: the same row for a fifth of the time. */
export const prepareEveryday = (sent: unknown, source: RowSource): Prepared | undefined => {
  try {
    const values = everydayValues(sent, source.clock)
    const notes: Notes = { errors: undefined, anomalies: undefined }
    const admitted = values && admit(values, notes)
    if (admitted === undefined) return undefined
    const id = source.newId()
    if (id === '' || id !== storableText(id)) return undefined
    admitted[ID] = id
    return { outcome: 'prepared', admitted, anomalies: notes.anomalies ?? NONE }
  } catch {
    // A getter in the frame, the clock, the ids: prepareDecoded meets it again and says what it is.
    return undefined
  }
}

/** The way that explains: every field decoded by its codec. */
export const prepareDecoded = (sent: unknown, source: RowSource): Prepared | Unprepared => {
  const decoded = decodeFrame(sent)
  if (isLeft(decoded)) return decoded.left
  const identified = identify(decoded.right)
  if (identified.outcome === 'skipped_no_identity') return identified
  try {
    const normalised = normalise(incomingOf(identified.frame, source))
    if (isLeft(normalised)) throw new MergelawError('row', normalised.left.map(({ message }) => message).join('; '))
    const { tuple, anomalies } = normalised.right
    return { outcome: 'prepared', admitted: [...tuple], anomalies }
  } catch (error) {
    return failedWith(identified.frame, [], error)
  }
}

interface Identity {
  readonly task_session_id: string
  readonly task_id: string
  readonly tool_call_id: string
}
type Identified = Frame & Identity

/** AC-2: exactly these three make a row joinable to anything. The execution id is not among them (AC-31). */
const IDENTITY = ['task_session_id', 'task_id', 'tool_call_id'] as const satisfies readonly (keyof Identity)[]

const isIdentified = (frame: Frame): frame is Identified => IDENTITY.every((name) => frame[name] !== null)

const identify = (frame: Frame): Skipped | { readonly outcome: 'identified'; readonly frame: Identified } =>
  isIdentified(frame)
    ? { outcome: 'identified', frame }
    : { outcome: 'skipped_no_identity', missing: IDENTITY.filter((name) => frame[name] === null) }

const normalise = compileNormalise(subagentContexts)
const { admit, finish } = compileNormaliser(subagentContexts)
const names = Object.keys(subagentContexts.columns)
const ID = names.indexOf('id')
const SESSION = names.indexOf('task_session_id')
const EXECUTION = names.indexOf('agent_execution_id')
const TOOL_CALL = names.indexOf('tool_call_id')

const NONE: readonly string[] = []

/** The row as it is written, in place. */
export const finishRow: (admitted: Value[]) => Tuple = finish

export const setId = (admitted: Value[], id: string): void => {
  admitted[ID] = id
}

/** The identity of a normalised row. A key column is a text: the contract says so. */
export const keyOf = (tuple: Tuple): RowKey => ({
  task_session_id: tuple[SESSION] as string,
  agent_execution_id: tuple[EXECUTION] as string,
  tool_call_id: tuple[TOOL_CALL] as string,
})

const incomingOf = (frame: Identified, { clock, newId }: RowSource): Incoming<typeof subagentContexts> => {
  const { subagent } = frame
  const observedAt = frame.observed_at ?? clock.now()
  return {
    id: newId(),
    task_session_id: frame.task_session_id,
    task_id: frame.task_id,
    turn_id: frame.turn_id,
    agent_execution_id: frame.execution_id,
    tool_call_id: frame.tool_call_id,
    parent_tool_call_id: frame.parent_tool_call_id,
    subagent_type: subagent.subagent_type,
    description: subagent.description,
    agent_id: subagent.agent_id,
    child_session_id: subagent.child_session_id,
    model: subagent.model,
    agent_status: subagent.status,
    tool_status: frame.status,
    is_async: subagent.is_async,
    total_tokens: subagent.total_tokens,
    tool_use_count: subagent.tool_use_count,
    duration_ms: subagent.duration_ms,
    source: 'live',
    observed_at: observedAt,
    settled_at: isTerminalToolStatus(frame.status) ? observedAt : null,
    updated_at: observedAt,
  }
}

/** AC-27: what a frame that was not written leaves; the error is one of the library's own, whatever was thrown. */
export const failedWith = (
  { task_session_id, tool_call_id }: Pick<RowKey, 'task_session_id' | 'tool_call_id'>,
  anomalies: readonly string[],
  thrown: unknown,
): Failed => ({ outcome: 'failed', task_session_id, tool_call_id, anomalies, error: asMergelawError(thrown) })

export const asMergelawError = (thrown: unknown): MergelawError => {
  try {
    if (thrown instanceof MergelawError) return thrown
    const message = thrown instanceof Error ? thrown.message : 'a value that is no Error was thrown'
    return new MergelawError('unknown', message, { cause: thrown })
  } catch {
    // A revoked proxy, or an error whose message is a getter that throws.
    return new MergelawError('unknown', 'a value that cannot be looked at was thrown')
  }
}
