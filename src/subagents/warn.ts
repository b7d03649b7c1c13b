import type { ErrorCode, MergelawError } from '../errors/index.ts'
import { settled } from '../util/settled.ts'
import type { Failed } from './outcome.ts'

/** What a warning carries (AC-27): whose frame it was, and why it was not written. */
export interface Warning {
  readonly task_session_id: string
  readonly tool_call_id: string
  readonly code: ErrorCode
  readonly error: string
}

/** The one warning about all frames of a batch whose transaction did not commit. */
export interface BatchWarning {
  /** How many frames were not written. */
  readonly frames: number
  /** Theirs, each once. */
  readonly task_session_ids: readonly string[]
  readonly tool_call_ids: readonly string[]
  readonly code: ErrorCode
  readonly error: string
}

/** Where warnings go; any pino logger fits. */
export interface WriterLog {
  warn(fields: Warning | BatchWarning, message: string): void
}

/** One WARN per failure. */
export const warnOf = (log: WriterLog, { task_session_id, tool_call_id, error }: Failed): void =>
  warn(log, { task_session_id, tool_call_id, code: error.code, error: textOf(error) }, 'A subagent context was not written.')

/** One WARN for all frames that one error kept from being stored. */
export const warnOfBatch = (log: WriterLog, failed: readonly Failed[], error: MergelawError): void => {
  const distinct = (name: 'task_session_id' | 'tool_call_id'): readonly string[] => [
    ...new Set(failed.map((frame) => frame[name])),
  ]
  const fields: BatchWarning = {
    frames: failed.length,
    task_session_ids: distinct('task_session_id'),
    tool_call_ids: distinct('tool_call_id'),
    code: error.code,
    error: textOf(error),
  }
  warn(log, fields, 'A batch of subagent contexts was not written.')
}

/** A connection that was given up says so, and what went wrong on it stands beside. */
const textOf = ({ message, details: { reason } }: MergelawError): string =>
  reason instanceof Error ? `${message} ${reason.message}` : message

/** A log that fails itself, at once or later, changes nothing. */
const warn = (log: WriterLog, fields: Warning | BatchWarning, message: string): void => {
  try {
    const answer: unknown = log.warn(fields, message)
    void settled(answer)
  } catch {
    // Telemetry never breaks the product path (AC-27), and its log even less; the counter and the outcome still tell.
  }
}
