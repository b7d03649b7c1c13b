import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { MergelawError } from '../errors/index.ts'

/** Gives a lock back. Calling it again does nothing, even when somebody else has taken the lock since. */
export type Release = () => void

/** One lock per run, inside one process. It writes nothing to the disk, so a refusal leaves no lock file behind. */
export type LockTable = Readonly<{ take: (dir: string, ref: string) => Release; isTaken: (dir: string, ref: string) => boolean }>

/** The directory behind links and other spellings: two ways to one directory are one lock. It need not be there yet. */
function realDirectory(dir: string): string {
  try {
    return realpathSync.native(dir)
  } catch {
    // Missing, or not to be looked at: the store says so when it reads. What is above it may still be a link.
    const above = dirname(dir)
    return above === dir ? dir : join(realDirectory(above), basename(dir))
  }
}

/** Makes an empty table. A process needs one only: `processLocks`. */
export function createLocks(): LockTable {
  const taken = new Map<string, symbol>()
  const keyOf = (dir: string, ref: string): string => JSON.stringify([realDirectory(dir), ref])
  const take = (dir: string, ref: string): Release => {
    const key = keyOf(dir, ref)
    if (taken.has(key)) {
      throw new MergelawError('locked', `Run "${ref}" is in use in this process: try again when it has been released`, {
        details: { ref },
      })
    }
    const mine = Symbol(ref)
    taken.set(key, mine)
    return () => {
      if (taken.get(key) === mine) taken.delete(key)
    }
  }
  return { take, isTaken: (dir, ref) => taken.has(keyOf(dir, ref)) }
}

/** The locks of this process, shared by every store that is opened on the same directory. */
export const processLocks: LockTable = createLocks()
