import { isLosslessNumber } from 'lossless-json'
import type { MergelawError } from '../errors/index.ts'

/** Why a frame cannot be decoded: one entry per field. */
export interface Problem {
  /** The path in the frame, `normalized.subagent_task.total_tokens`; empty for the frame as a whole. */
  readonly field: string
  readonly value: unknown
  /** Names field and value, and says what was expected. */
  readonly message: string
}

/** The identity of a row, as stored. */
export interface RowKey {
  readonly task_session_id: string
  readonly agent_execution_id: string
  readonly tool_call_id: string
}

/** Undecodable: counted nowhere else, nothing written. */
export interface Rejected {
  readonly outcome: 'rejected'
  readonly problems: readonly Problem[]
}

/** No subagent frame: counts nothing but itself. */
export interface Ignored {
  readonly outcome: 'ignored'
}

/** AC-2: an identity is missing. No row. */
export interface Skipped {
  readonly outcome: 'skipped_no_identity'
  readonly missing: readonly string[]
}

/** The upsert committed: a new row, or a merge into a stored one. */
export interface Persisted {
  readonly outcome: 'persisted'
  readonly key: RowKey
  /** Columns whose value was negative and was read as "not reported" (AC-9). */
  readonly anomalies: readonly string[]
}

/** AC-27: the write was tried and did not happen. */
export interface Failed {
  readonly outcome: 'failed'
  readonly task_session_id: string
  readonly tool_call_id: string
  readonly anomalies: readonly string[]
  readonly error: MergelawError
}

/** What became of one frame. */
export type Recorded = Persisted | Skipped | Failed | Ignored | Rejected

export const IGNORED: Ignored = { outcome: 'ignored' }

export const rejected = (field: string, value: unknown, why: string): Rejected => ({
  outcome: 'rejected',
  problems: [problem(field, value, why)],
})

export const problem = (field: string, value: unknown, why: string): Problem => ({
  field,
  value,
  message: `${field === '' ? 'the frame' : field}: ${why}: ${show(value)}`,
})

const MAX_SHOWN = 80

/** A value for people, whatever it is; long ones are cut, and what cannot be shown is named by its type. */
const show = (value: unknown): string => {
  const text = textOf(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text
}

const textOf = (value: unknown): string => {
  if (typeof value === 'bigint' || isLosslessNumber(value)) return value.toString()
  try {
    return (
      JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner)) ?? String(value)
    )
  } catch {
    return `a value of type ${typeof value}`
  }
}
