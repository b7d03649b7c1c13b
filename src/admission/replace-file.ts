import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { MergelawError } from '../errors/index.ts'
import { quotedPath } from './names.ts'

/** Puts bytes into an open file. The default asks the system until it has taken all of them; a test gives one that does not. */
export type PutBytes = (handle: number, bytes: Uint8Array) => void

/**
 * Replaces a file as a whole: a temporary file beside it is written, synced and measured, and only then takes its name.
 *
 * Ours and not write-file-atomic: that one asks the system once, does not look at how much was taken, and renames. On a full disk
 * the record that was acknowledged is then gone. Throws `io` for a short write, and the system's own errors; either way the old
 * file stays as it was, and the temporary one is taken away.
 */
export function replaceFile(path: string, bytes: Uint8Array, put: PutBytes = writeFileSync): void {
  const old = statSync(path, { throwIfNoEntry: false })
  // A link is followed, as reading follows it: the file it points to is replaced, not the link.
  const target = old === undefined ? path : realpathSync(path)
  const temporary = `${target}.${randomBytes(5).toString('hex')}`
  try {
    const handle = openSync(temporary, 'wx', 0o666)
    try {
      if (old !== undefined) keepOwner(handle, old)
      put(handle, bytes)
      fsyncSync(handle)
      const { size } = fstatSync(handle)
      if (size !== bytes.byteLength) throw shortWrite(path, size, bytes.byteLength)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

const shortWrite = (path: string, size: number, wanted: number): MergelawError =>
  new MergelawError('io', `Cannot write ${quotedPath(path)}: only ${size} of ${wanted} bytes were taken. The old file is kept`, {
    details: { path, size, wanted },
  })

/** The new file belongs to whom the old one did, where the system allows it. */
function keepOwner(handle: number, { mode, uid, gid }: Readonly<{ mode: number; uid: number; gid: number }>): void {
  const own = fstatSync(handle)
  if (own.uid !== uid || own.gid !== gid) {
    try {
      fchownSync(handle, uid, gid)
    } catch {
      // Only a privileged process may give a file away: the file is then ours, with the same rights.
    }
  }
  fchmodSync(handle, mode & 0o7777)
}
