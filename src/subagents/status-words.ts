/** AC-24c's table as it stands: what each state means, and what a consumer shall do. */
export const STATES = {
  'capture present, execution present': 'Fully activated. The disclosure rules of AC-25 apply as written.',
  'capture present, execution absent':
    'Capture works; Amendment 1 has not successfully applied (AC-24b). No agent_execution_id on this installation may be read as an execution identity.',
  'capture absent, execution present':
    'The execution dimension is trustworthy, but the backfill has not succeeded (AC-24a) and no coverage boundary exists. Treat all history as unknown fan-out, and do not run the health comparison. The backfill retries on the next start.',
  'capture absent, execution absent':
    'The feature has not successfully activated on this installation. Rows may exist from live capture, and each is a valid measurement, but no absence is evidence of anything and no boundary may be published.',
} as const

/** AC-25, one sentence for each thing that a status shows. */
export const READINGS = {
  captureSince:
    'Before subagent_context_capture_since the absence of a row is never evidence of the absence of a subagent; rows before it are real measurements, and are kept and counted.',
  backfillThrough:
    "Activity before subagent_context_backfill_through has unknown fan-out, not zero fan-out; '' means that the backfill matched nothing, so there was no history to cover.",
  executionSince:
    "subagent_context_execution_since dates the 'unknown' rows alone: before it the installation had no execution dimension, since then a live frame arrived without one.",
  bySource:
    "Rows with source 'backfill' are limited to what survived in message metadata; compare them with 'live' rows only where that split is disclosed.",
  known:
    'An agent_execution_id other than the sentinel is a real execution identity, on whichever side of subagent_context_execution_since its row falls.',
  unknown:
    "'unknown' says that an execution is unrecorded, never that it is shared: leave it out where executions are counted or grouped.",
} as const
export type Reading = keyof typeof READINGS

export const ADVICE = {
  noTable: 'task_session_subagents does not exist: start the host, or run mergelaw migrate.',
  noMessageIndex:
    "task_session_messages has no index that begins with created_at, so the health check reads the host's whole history; consider: CREATE INDEX idx_messages_created_at ON task_session_messages (created_at).",
} as const
