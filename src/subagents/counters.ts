import { UNKNOWN_EXECUTION } from './contract.ts'
import type { Recorded } from './outcome.ts'

/**
 * AC-26: what became of the frames since the writer was made. The unit is one observed frame, not one row.
 *
 * `attempted` = `skipped_no_identity` + `persisted` + `failed`, at every moment. `anomalous_value` and `unknown_execution` qualify
 * frames counted there; `ignored` and `rejected` frames are counted nowhere else.
 */
export interface Counters {
  readonly attempted: number
  readonly persisted: number
  readonly skipped_no_identity: number
  /** Frames that reached the upsert with at least one negative metric (AC-9). */
  readonly anomalous_value: number
  readonly failed: number
  /** Frames written under the sentinel `'unknown'` (AC-31). */
  readonly unknown_execution: number
  readonly ignored: number
  readonly rejected: number
}

const NO_FRAMES: Counters = {
  attempted: 0,
  persisted: 0,
  skipped_no_identity: 0,
  anomalous_value: 0,
  failed: 0,
  unknown_execution: 0,
  ignored: 0,
  rejected: 0,
}

export interface Counting {
  /** Counts one frame by what became of it, or several with one outcome, all counters in one go, and hands the outcome on. */
  readonly count: <Outcome extends Recorded>(outcome: Outcome, frames?: number) => Outcome
  /** The counters as they stand; what is counted later does not change it. */
  readonly snapshot: () => Counters
}

export const newCounting = (): Counting => {
  const counts: { -readonly [Name in keyof Counters]: number } = { ...NO_FRAMES }
  return {
    count: (outcome, frames = 1) => {
      counts[outcome.outcome] += frames
      if (outcome.outcome !== 'ignored' && outcome.outcome !== 'rejected') counts.attempted += frames
      if ('anomalies' in outcome && outcome.anomalies.length > 0) counts.anomalous_value += frames
      if (outcome.outcome === 'persisted' && outcome.key.agent_execution_id === UNKNOWN_EXECUTION) {
        counts.unknown_execution += frames
      }
      return outcome
    },
    snapshot: () => ({ ...counts }),
  }
}
