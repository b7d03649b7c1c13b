/**
 * The spec's live path, said about whole histories: which frames count, and what each column is of all the frames of its key.
 *
 * It holds no merge: every column is found by looking at the key's frames in commit order ("the first that …", "the last that …"). So it
 * shares neither code nor shape with the rules, the reducer and the SQL.
 */
import type { BackfilledRow, FrameHistory, FrameJson, Json } from '../arbitraries/frames.ts'
import { TERMINAL } from '../arbitraries/frames.ts'

export type ModelRow = Readonly<Record<string, string | bigint | boolean | null>>

export interface ModelState {
  readonly rows: readonly ModelRow[]
  readonly counters: Readonly<Record<string, number>>
}

/** What a player must share with the model: time and ids are the frame's number. */
export const clockAt = (frame: number): string => `2026-08-03T15:32:21.${String(frame).padStart(6, '0')}Z`
export const idAt = (frame: number): string => `id-${frame}`
export const backfilledId = (row: number): string => `old-${row}`

/** A frame that reached a row, or the backfilled row that was there before. */
interface Sighting {
  readonly id: string
  readonly session: string
  readonly execution: string
  readonly call: string
  readonly taskId: string
  readonly source: string
  readonly at: string
  /** AC-11: the observation instant if this sighting is terminal. */
  readonly settledAt: string | null
  readonly toolStatus: string | null
  readonly isAsync: boolean
  readonly text: Readonly<Record<string, string | null>>
  readonly metrics: Readonly<Record<string, bigint | null>>
}

const ENVELOPE_TEXTS = ['turn_id', 'parent_tool_call_id']
const PAYLOAD_TEXTS = ['subagent_type', 'description', 'agent_id', 'child_session_id', 'model']
/** AC-4, AC-5: the last report stands. `agent_status` is the payload's `status`. */
const LAST_TEXTS = ['parent_tool_call_id', ...PAYLOAD_TEXTS, 'agent_status']
const METRICS = ['total_tokens', 'tool_use_count', 'duration_ms']
const isObject = (value: Json | undefined): value is FrameJson => typeof value === 'object' && value !== null
const isNothing = (value: Json | undefined): boolean => value === undefined || value === null || value === ''

class Rejection extends Error {}

/** Normalization rules: the empty text is no text; what no database can hold is U+FFFD. */
const textOf = (value: Json | undefined): string | null => {
  if (isNothing(value)) return null
  if (typeof value !== 'string') throw new Rejection()
  return value.toWellFormed().replaceAll('\0', '\uFFFD')
}

const integerOf = (value: Json | undefined): bigint | null => {
  if (isNothing(value)) return null
  if (typeof value === 'number' ? !Number.isSafeInteger(value) : typeof value !== 'bigint') throw new Rejection()
  if (BigInt(value as number) !== BigInt.asIntN(64, BigInt(value as number))) throw new Rejection()
  return BigInt(value as number)
}

const flagOf = (value: Json | undefined): boolean => {
  if (isNothing(value)) return false
  if (typeof value !== 'boolean') throw new Rejection()
  return value
}

/** AC-1a, in microseconds UTC. `Date` reads every spelling of RFC 3339 to the millisecond; the digits below are text. */
const instantOf = (value: Json | undefined, frame: number): string => {
  if (isNothing(value)) return clockAt(frame)
  const match = typeof value === 'string' ? /^(.{10})[Tt ](.{8})(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/.exec(value) : null
  if (match === null) throw new Rejection()
  const [, date, time, fraction = '', zone = ''] = match
  const seconds = new Date(`${date}T${time}${zone.toUpperCase()}`).toISOString().slice(0, 19)
  return `${seconds}.${fraction.padEnd(6, '0').slice(0, 6)}Z`
}

const isTerminal = (status: string | null): boolean => status !== null && (TERMINAL as readonly string[]).includes(status)

/** A frame as the writer understands it: what it is about, or why nothing is written. */
type Read =
  | { readonly outcome: 'ignored' | 'rejected' | 'skipped_no_identity' }
  | { readonly outcome: 'write'; readonly sighting: Sighting; readonly anomalous: boolean }

const readFrame = (frame: FrameJson, number: number): Read => {
  const { normalized } = frame
  if (!isObject(normalized) || normalized['kind'] !== 'subagent_task') return { outcome: 'ignored' }
  const payload = isObject(normalized['subagent_task']) ? normalized['subagent_task'] : {}
  try {
    const session = textOf(frame['task_session_id'])
    const taskId = textOf(frame['task_id'])
    const call = textOf(frame['tool_call_id'])
    const toolStatus = textOf(frame['status'])
    const at = instantOf(frame['observed_at'], number)
    const reported = METRICS.map((name) => [name, integerOf(payload[name])] as const)
    const texts = [
      ...ENVELOPE_TEXTS.map((name) => [name, textOf(frame[name])] as const),
      ...PAYLOAD_TEXTS.map((name) => [name, textOf(payload[name])] as const),
      ['agent_status', textOf(payload['status'])] as const,
    ]
    const execution = textOf(frame['execution_id']) ?? 'unknown' // AC-31
    const isAsync = flagOf(payload['is_async'])
    if (session === null || taskId === null || call === null) return { outcome: 'skipped_no_identity' } // AC-2
    const metrics = reported.map(([name, value]) => [name, isMeasured(name, value) ? value : null] as const)
    const sighting: Sighting = {
      ...{ id: idAt(number), session, execution, call, taskId, source: 'live', at, toolStatus, isAsync },
      settledAt: isTerminal(toolStatus) ? at : null,
      text: Object.fromEntries(texts),
      metrics: Object.fromEntries(metrics),
    }
    return { outcome: 'write', sighting, anomalous: reported.some(([, value]) => value !== null && value < 0n) } // AC-9
  } catch (error) {
    if (error instanceof Rejection) return { outcome: 'rejected' }
    throw error
  }
}

/** AC-7a, AC-8, AC-9: a negative is no measurement; a zero is one of tool uses only. */
const isMeasured = (name: string, value: bigint | null): boolean =>
  value !== null && (value > 0n || (value === 0n && name === 'tool_use_count'))

const readBackfilled = (row: BackfilledRow, number: number): Sighting => ({
  ...{ id: backfilledId(number), session: row.task_session_id, execution: 'unknown', call: row.tool_call_id },
  ...{ taskId: row.task_id, source: 'backfill', at: row.observed_at, settledAt: row.settled_at, toolStatus: row.tool_status },
  isAsync: false,
  text: { turn_id: row.turn_id, model: row.model },
  metrics: { total_tokens: row.total_tokens },
})

const firstOf = <T>(values: readonly (T | null | undefined)[]): T | null =>
  values.find((value) => value !== null && value !== undefined) ?? null
const lastOf = <T>(values: readonly (T | null | undefined)[]): T | null => firstOf(values.toReversed())

/** One row of all the sightings of its key, in commit order. */
const rowOf = (seen: readonly Sighting[]): ModelRow => {
  const [created] = seen
  if (created === undefined) throw new Error('a row without a sighting')
  const settling = seen.find(({ settledAt }) => settledAt !== null)
  const lastText = (name: string): string | null => lastOf(seen.map(({ text }) => text[name]))
  return {
    id: created.id, // AC-1: write-once, with the creating frame
    task_session_id: created.session,
    task_id: created.taskId, // AC-5: write-once
    turn_id: firstOf(seen.map(({ text }) => text['turn_id'])), // AC-2a: first, NULL filled forward
    agent_execution_id: created.execution, // AC-30
    tool_call_id: created.call,
    ...Object.fromEntries(LAST_TEXTS.map((name) => [name, lastText(name)])),
    tool_status: settling?.toolStatus ?? lastOf(seen.map(({ toolStatus }) => toolStatus)), // AC-12
    is_async: seen.some(({ isAsync }) => isAsync), // sticky
    ...Object.fromEntries(METRICS.map((name) => [name, lastOf(seen.map(({ metrics }) => metrics[name]))])), // AC-7 to AC-9
    source: created.source, // AC-1
    observed_at: created.at, // AC-1a
    settled_at: settling?.settledAt ?? null, // AC-11
    updated_at: lastOf(seen.map(({ at }) => at).sort()),
  }
}

/** AC-13, by session first; by UTF-8 bytes. */
const ORDER = ['task_session_id', 'observed_at', 'tool_call_id', 'agent_execution_id']
const compareRows = (a: ModelRow, b: ModelRow): number => compareBy(ORDER, a, b)
const compareBy = (order: readonly string[], a: ModelRow, b: ModelRow): number => {
  for (const name of order) {
    const sign = Buffer.compare(Buffer.from(String(a[name])), Buffer.from(String(b[name])))
    if (sign !== 0) return sign
  }
  return 0
}

/** AC-13: the rows of one session or turn. */
export const listOf = (rows: readonly ModelRow[], column: 'task_session_id' | 'turn_id', id: string): readonly ModelRow[] =>
  rows.filter((row) => row[column] === id).sort((a, b) => compareBy(ORDER.slice(1), a, b))

const keyOf = ({ session, execution, call }: Sighting): string => JSON.stringify([session, execution, call])

const rowsOf = (seen: readonly Sighting[]): readonly ModelRow[] =>
  [...new Set(seen.map(keyOf))].map((key) => rowOf(seen.filter((one) => keyOf(one) === key))).sort(compareRows)

const COUNTERS = [
  'attempted',
  'persisted',
  'skipped_no_identity',
  'anomalous_value',
  'failed',
  'unknown_execution',
  'ignored',
  'rejected',
]

/** AC-26: what these frames count. `failed` are those whose session has no parent row, where a database asks for one. */
const countersOf = (read: readonly Read[], isOrphan: (sighting: Sighting) => boolean): ModelState['counters'] => {
  const counters: Record<string, number> = Object.fromEntries(COUNTERS.map((name) => [name, 0]))
  const count = (name: string): void => {
    counters[name] = (counters[name] ?? 0) + 1
  }
  for (const one of read) {
    if (one.outcome === 'ignored' || one.outcome === 'rejected') {
      count(one.outcome)
      continue
    }
    count('attempted')
    const outcome = one.outcome !== 'write' ? one.outcome : isOrphan(one.sighting) ? 'failed' : 'persisted'
    count(outcome)
    if (one.outcome === 'write' && one.anomalous) count('anomalous_value')
    if (one.outcome === 'write' && outcome === 'persisted' && one.sighting.execution === 'unknown') count('unknown_execution')
  }
  return counters
}

/** The table and the counters after each frame. `parents`: the sessions that exist, where a database checks (else all do). */
export const modelStates = ({ backfilled, frames }: FrameHistory, parents?: readonly string[]): readonly ModelState[] => {
  const before = backfilled.map(readBackfilled)
  const read = frames.map(readFrame)
  const isOrphan = ({ session }: Sighting): boolean => parents !== undefined && !parents.includes(session)
  return frames.map((_, at) => {
    const upTo = read.slice(0, at + 1)
    const written = upTo.flatMap((one) => (one.outcome === 'write' && !isOrphan(one.sighting) ? [one.sighting] : []))
    return { rows: rowsOf([...before, ...written]), counters: countersOf(upTo, isOrphan) }
  })
}
