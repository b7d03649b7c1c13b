/** A line on a terminal's stderr that says how far the work is; elsewhere nothing. */
export interface Progress {
  readonly advance: (done: number) => void
  readonly end: () => void
}

const MS_BETWEEN = 200

export const newProgress = (what: string): Progress => {
  if (!process.stderr.isTTY) return { advance: () => undefined, end: () => undefined }
  let shown = 0
  return {
    advance: (done) => {
      const now = Date.now()
      if (now - shown < MS_BETWEEN) return
      shown = now
      process.stderr.write(`\r${done.toLocaleString('en')} ${what}`)
    },
    end: () => void process.stderr.write(shown === 0 ? '' : '\r\x1b[K'),
  }
}
