import { toInstant } from '../util/instant.ts'
import type { Clock } from './clock.ts'
import { isTerminalToolStatus } from './terminal.ts'

/** The one `normalized.kind` that is recorded. */
export const SUBAGENT_KIND = 'subagent_task'

/** Stands where the id will be. */
export const PENDING_ID = 'pending'

type Fields = Readonly<Record<string, unknown>>

/**
 * The values of a frame in the contract's column order, its id still pending, or undefined where this is no everyday frame: another kind, an object with
 * a prototype of its own, an instant in no form it knows.
 *
 * It only picks fields. What they may hold is the normaliser's to say, and a value it refuses sends the frame to `decodeFrame`, whose
 * codecs report it. A property holds that a frame read here and one decoded there become the same row.
 */
export const everydayValues = (sent: unknown, clock: Clock): unknown[] | undefined => {
  if (!isPlain(sent)) return undefined
  const { normalized, status } = sent
  if (!isPlain(normalized) || normalized['kind'] !== SUBAGENT_KIND) return undefined
  const subagent = normalized['subagent_task']
  if (!isPlain(subagent) || isPrototypePolluted()) return undefined
  const observedAt = observedAtOf(sent['observed_at'], clock)
  if (observedAt === undefined || (status !== undefined && status !== null && typeof status !== 'string')) return undefined
  return [
    PENDING_ID,
    sent['task_session_id'],
    sent['task_id'],
    sent['turn_id'],
    sent['execution_id'],
    sent['tool_call_id'],
    sent['parent_tool_call_id'],
    subagent['subagent_type'],
    subagent['description'],
    subagent['agent_id'],
    subagent['child_session_id'],
    subagent['model'],
    subagent['status'],
    status, // tool_status
    subagent['is_async'],
    subagent['total_tokens'],
    subagent['tool_use_count'],
    subagent['duration_ms'],
    'live', // source
    observedAt,
    isTerminalToolStatus(status ?? null) ? observedAt : null, // settled_at
    observedAt, // updated_at
  ]
}

/** Undefined: no RFC 3339 instant. */
const observedAtOf = (sent: unknown, clock: Clock): string | undefined => {
  if (sent === undefined || sent === null || sent === '') return clock.now()
  return typeof sent === 'string' ? toInstant(sent, true) : undefined
}

/** An object as JSON makes it: what it inherits is `Object.prototype`, which has none of the fields read here. */
const isPlain = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** A program that adds fields to `Object.prototype` would add them to every frame. */
const isPrototypePolluted = (): boolean => {
  for (const _name in EMPTY) return true
  return false
}
const EMPTY = {}
