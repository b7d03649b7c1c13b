import { MergelawError } from '../errors/index.ts'
import type { Release } from './locks.ts'
import { quoted } from './names.ts'

/**
 * A run that was admitted, or a fresh one, with its lock. Call `release` when it has ended, in every case; twice is harmless.
 *
 * `transcript` holds the bytes to start from (none for a fresh run). `forkedFrom` is the source of a copy, null otherwise.
 */
export type PreparedRun = Readonly<{
  ref: string
  parentSession: string
  forkedFrom: string | null
  transcript: Uint8Array
  release: Release
}>

/** What the store knows of a prepared run and its holder must not change. */
export type Held = {
  /** The whole metadata of a fresh run, which has no file yet; null when the file must be there. */
  readonly first: Readonly<Record<string, unknown>> | null
  /** What the next write changes besides the status. */
  readonly patch: Readonly<Record<string, unknown>>
  /**
   * What the record may say when it is written next, as `contractOf` puts it: what was admitted, or what was written last. Two
   * where a write failed and either may be on disk; none for a fresh run, which has no record.
   */
  expected: readonly string[]
  /** Called at the release of a run that was never written: a copy that did not run takes its files away again. */
  readonly discard?: () => void
}

export type Handles = Readonly<{
  hold: (run: Omit<PreparedRun, 'release'>, held: Held, release: Release) => PreparedRun
  /** What is known of a run that is about to be written. Throws `usage` for one that was released, or is not of this store. */
  open: (run: PreparedRun) => Held
}>

/** Keeps the prepared runs of one store: a run that was released, or made by hand, can write nothing. */
export function createHandles(): Handles {
  const known = new WeakMap<PreparedRun, { held: Held; state: 'unused' | 'written' | 'released' }>()

  const hold: Handles['hold'] = (fields, held, giveBack) => {
    const entry: { held: Held; state: 'unused' | 'written' | 'released' } = { held, state: 'unused' }
    const release = (): void => {
      const { state } = entry
      entry.state = 'released'
      try {
        if (state === 'unused') held.discard?.()
      } finally {
        giveBack()
      }
    }
    const run: PreparedRun = Object.freeze({ ...fields, release })
    known.set(run, entry)
    return run
  }

  const open: Handles['open'] = (run) => {
    const entry = known.get(run)
    if (entry === undefined) throw new MergelawError('usage', 'This run was not prepared by this store: prepare it first')
    if (entry.state === 'released') {
      throw new MergelawError('usage', `Run ${quoted(run.ref)} was released and can no longer be written: prepare it again`)
    }
    entry.state = 'written'
    return entry.held
  }
  return { hold, open }
}
