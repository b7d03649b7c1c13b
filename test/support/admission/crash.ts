/**
 * A disk that dies. Invariant of the store: after a crash at any point and a reopen, no run is admitted that was not complete, and
 * nothing is lost that was acknowledged.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { nodeFiles, type StoreFiles } from '../../../src/admission/file-store.ts'

/**
 * Where the process dies while it replaces a file. Together with the number of the write inside one operation this covers: before
 * the transcript, after it, after the temporary file, before the rename, before the metadata, after it.
 */
export const STAGES = ['before', 'half-temporary', 'temporary', 'renamed'] as const
export type Stage = (typeof STAGES)[number]

/** Die at the `write`th write from now (0 is the next one), at this stage of it. */
export type CrashPoint = Readonly<{ write: number; stage: Stage }>

/** A dead process does nothing more: every later call on its disk throws this too. */
export const CRASH = new Error('the process has died')

export type Disk = Readonly<{ files: StoreFiles; arm: (point: CrashPoint | null) => void }>

const leave = (path: string, bytes: Uint8Array): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
}

/** What a crash leaves of one write. `isAtomic: false` is a planted fault: the target itself is left half written. */
function dieWriting(path: string, bytes: Uint8Array, stage: Stage, isAtomic: boolean): never {
  const temporary = isAtomic ? `${path}.1234567890` : path
  const half = bytes.subarray(0, bytes.length >> 1)
  if (stage === 'half-temporary') leave(temporary, half)
  if (stage === 'temporary') leave(temporary, isAtomic ? bytes : half)
  if (stage === 'renamed') nodeFiles.write(path, bytes)
  throw CRASH
}

/** The real disk until the armed point; from there on, dead. */
export function mortalDisk(isAtomic = true): Disk {
  let armed: CrashPoint | null = null
  let dead = false
  const alive = (): void => {
    if (dead) throw CRASH
  }
  const write: StoreFiles['write'] = (path, bytes) => {
    alive()
    if (armed?.write === 0) {
      dead = true
      dieWriting(path, bytes, armed.stage, isAtomic)
    }
    if (armed !== null) armed = { ...armed, write: armed.write - 1 }
    nodeFiles.write(path, bytes)
  }
  const guarded =
    <Args extends readonly unknown[], A>(call: (...args: Args) => A) =>
    (...args: Args): A => {
      alive()
      return call(...args)
    }
  const { read, names, exists, remove } = nodeFiles
  const files = { write, read: guarded(read), names: guarded(names), exists: guarded(exists), remove: guarded(remove) }
  const arm: Disk['arm'] = (point) => {
    armed = point
  }
  return { files, arm }
}
