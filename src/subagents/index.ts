export {
  type ActivateOptions,
  type ActivationLog,
  type ActivationWarning,
  activate,
} from './activate.ts'
export {
  ACTIVATION_STEPS,
  type ActivationReport,
  type ActivationStep,
  isActivated,
  type StepReport,
} from './activation-report.ts'
export { missingHostTables } from './activation-state.ts'
export { type Backfilled, type BackfillReport, backfillSteps } from './backfill.ts'
export { type BufferedWriter, type BufferOptions, createBufferedWriter } from './buffered-writer.ts'
export { type Clock, systemClock } from './clock.ts'
export { type SubagentContext, subagentContexts, UNKNOWN_EXECUTION } from './contract.ts'
export type { Counters } from './counters.ts'
export { decodeFrame, type Frame } from './frame.ts'
export { parseFrameText } from './frame-text.ts'
export { type HealthReport, health, healthSteps, LISTED_KEYS, type SubagentKey } from './health.ts'
export { type Initialised, initialise, initialiseHost, insertSession, taskSessions } from './host.ts'
export { KEY_NAMES, type KeyName, type Keys, keyInstantOf } from './keys.ts'
export { decodeMessage, type HostMessage, insertMessage } from './messages.ts'
export type { Failed, Ignored, Persisted, Problem, Recorded, Rejected, RowKey, Skipped } from './outcome.ts'
export { type BackfillModel, backfillOf, isCandidate, type Message, projectMessage, subagentProjection } from './projection.ts'
export { publishedContracts } from './published.ts'
export { listAll, listBySession, listByTurn, listSessions } from './reads.ts'
export { createReplay, type Replay, type ReplayOptions } from './replay.ts'
export { decodeSession, type ParentSession } from './session-line.ts'
export { type PopulationReport, type StatusReport, status } from './status.ts'
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
