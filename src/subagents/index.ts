export { type Backfilled, type BackfillReport, backfillSteps } from './backfill.ts'
export { type Clock, systemClock } from './clock.ts'
export { type SubagentContext, subagentContexts, UNKNOWN_EXECUTION } from './contract.ts'
export type { Counters } from './counters.ts'
export { decodeFrame, type Frame } from './frame.ts'
export { parseFrameText } from './frame-text.ts'
export { type HealthReport, health, healthSteps, LISTED_KEYS, type SubagentKey } from './health.ts'
export { type Initialised, initialise, insertSession, taskSessions } from './host.ts'
export { keyInstantOf } from './keys.ts'
export type { Failed, Ignored, Persisted, Problem, Recorded, Rejected, RowKey, Skipped } from './outcome.ts'
export { type BackfillModel, backfillOf, isCandidate, type Message, projectMessage, subagentProjection } from './projection.ts'
export { publishedContracts } from './published.ts'
export { listAll, listBySession, listByTurn } from './reads.ts'
export { createReplay, type Replay, type ReplayOptions } from './replay.ts'
export { decodeSession, type ParentSession } from './session-line.ts'
export { isTerminalToolStatus, TERMINAL_TOOL_STATUSES } from './terminal.ts'
export {
  type BatchWarning,
  createWriter,
  type Frames,
  type Warning,
  type Writer,
  type WriterLog,
  type WriterOptions,
} from './writer.ts'
