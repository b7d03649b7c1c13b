/** A seeded generator, so that every run measures the same data. */
export const SEED = 20_260_803

export interface Random {
  /** From 0 to below 1. */
  readonly next: () => number
  readonly below: (limit: number) => number
  readonly hex: (digits: number) => string
  readonly uuid: () => string
}

/** Mulberry32: small, fast and good enough for test data. */
export const random = (seed = SEED): Random => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const hex = (digits: number): string => Array.from({ length: digits }, () => below(16).toString(16)).join('')
  const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
  return { next, below, hex, uuid }
}
