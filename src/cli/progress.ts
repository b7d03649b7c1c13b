import { type Done, progressLine } from '../util/progress-line.ts'

export type { Done }

/** A line on a terminal's stderr that says how far the work is; elsewhere nothing. */
export interface Progress {
  readonly advance: (done: Done) => void
  readonly end: () => void
}

const MS_BETWEEN = 200

/** `size` is the input's in bytes, where it is known. */
export const newProgress = (size: number | undefined): Progress => {
  if (!process.stderr.isTTY) return { advance: () => undefined, end: () => undefined }
  const began = Date.now()
  let shown = 0
  return {
    advance: (done) => {
      const now = Date.now()
      if (now - shown < MS_BETWEEN) return
      shown = now
      process.stderr.write(
        `\r\x1b[K${progressLine(done, (now - began) / 1_000, size).slice(0, (process.stderr.columns ?? 80) - 1)}`,
      )
    },
    end: () => void process.stderr.write(shown === 0 ? '' : '\r\x1b[K'),
  }
}
