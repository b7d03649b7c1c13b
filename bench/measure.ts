/** What one side of a case took. */
export interface Measured {
  readonly seconds: number
  /** Frames, rows or runs: sides of one case may do different amounts, where the slow one would take minutes. */
  readonly amount: number
}

/** One side of a case, in a process of its own. Set-up is not timed. */
export type Side = () => Promise<Measured>

/** Times a body, after the garbage of its set-up is gone. */
export const timed = async (amount: number, body: () => unknown): Promise<Measured> => {
  globalThis.gc?.()
  const start = performance.now()
  await body()
  return { seconds: (performance.now() - start) / 1_000, amount }
}
