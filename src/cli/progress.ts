import type { Recorded } from '../subagents/outcome.ts'
import { progressLine } from '../util/progress-line.ts'

/** A line on a terminal's stderr that says how far the work is; elsewhere nothing. */
export interface Progress {
  /** What became of further frames, and how many bytes of the input have been read by now. */
  readonly advance: (outcomes: readonly Recorded[], bytes: number) => void
  readonly end: () => void
}

const MS_BETWEEN = 200

/** `size` is the input's in bytes, where it is known. */
export const newProgress = (size: number | undefined): Progress => {
  if (!process.stderr.isTTY) return { advance: () => undefined, end: () => undefined }
  const began = Date.now()
  let [frames, rows, shown] = [0, 0, 0]
  return {
    advance: (outcomes, bytes) => {
      frames += outcomes.length
      rows += rowsIn(outcomes)
      const now = Date.now()
      if (now - shown < MS_BETWEEN) return
      shown = now
      process.stderr.write(
        `\r\x1b[K${progressLine({ frames, rows, bytes }, (now - began) / 1_000, size).slice(0, (process.stderr.columns ?? 80) - 1)}`,
      )
    },
    end: () => void process.stderr.write(shown === 0 ? '' : '\r\x1b[K'),
  }
}

/** Frames of one row share its key object. */
const rowsIn = (outcomes: readonly Recorded[]): number =>
  new Set(
    outcomes.map((outcome) => (outcome.outcome === 'persisted' ? outcome.key : undefined)).filter((key) => key !== undefined),
  ).size
