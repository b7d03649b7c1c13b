import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { MergelawError } from '../errors/index.ts'
import { malformed } from './json.ts'
import { quotedPath } from './names.ts'
import { type PutBytes, replaceFile } from './replace-file.ts'

/**
 * Everything the run store does to a disk. The default is `nodeFiles`; a test gives its own to stop at a crash point.
 *
 * Synchronous on purpose: between reading a record, deciding and writing, nothing else of this process can run.
 */
export type StoreFiles = Readonly<{
  /** The bytes, or null when there is no such file. */
  read: (path: string, limit?: number) => Uint8Array | null
  /** The names in a directory, sorted; none when it does not exist. */
  names: (dir: string) => readonly string[]
  /** Replaces a file as a whole: afterwards it holds either the old bytes or all the new ones, on disk. */
  write: (path: string, bytes: Uint8Array) => void
  exists: (path: string) => boolean
  remove: (path: string) => void
}>

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : String(error))
const isCode = (error: unknown, code: string): boolean => codeOf(error) === code

function failed(what: string, path: string, cause: unknown, why: string): MergelawError {
  return new MergelawError('io', `Cannot ${what} ${quotedPath(path)}: ${why}`, { details: { path }, cause })
}

function attempt<A>(what: string, path: string, run: () => A): A {
  try {
    return run()
  } catch (cause) {
    throw cause instanceof MergelawError ? cause : failed(what, path, cause, codeOf(cause))
  }
}

function read(path: string, limit = Number.POSITIVE_INFINITY): Uint8Array | null {
  try {
    const stat = statSync(path)
    // A directory, or a pipe that would wait for a writer for ever, is not a record.
    if (!stat.isFile()) throw malformed(path, 'it is not a regular file')
    if (stat.size > limit) throw malformed(path, `it has ${stat.size} bytes, more than the ${limit} that metadata may have`)
    return readFileSync(path)
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return null
    throw cause instanceof MergelawError ? cause : failed('read', path, cause, codeOf(cause))
  }
}

function names(dir: string): readonly string[] {
  try {
    return readdirSync(dir).sort()
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) return []
    throw failed('list', dir, cause, codeOf(cause))
  }
}

/** Makes a rename last: without it a power cut may bring back the old name. Systems that cannot do it (Windows) skip it. */
function syncDirectory(dir: string): void {
  try {
    const handle = openSync(dir, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (cause) {
    if (!['EPERM', 'EACCES', 'EISDIR', 'EINVAL', 'ENOTSUP'].some((code) => isCode(cause, code))) throw cause
  }
}

const writing =
  (put?: PutBytes): StoreFiles['write'] =>
  (path, bytes) =>
    attempt('write', path, () => {
      mkdirSync(dirname(path), { recursive: true })
      replaceFile(path, bytes, put)
      syncDirectory(dirname(path))
    })

/** True also for a dangling link: the name is in use. */
const exists = (path: string): boolean =>
  attempt('look at', path, () => existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined)

const remove = (path: string): void => attempt('remove', path, () => rmSync(path, { force: true }))

/** The real disk, with another way to put bytes into a file: for the tests of a disk that takes only some of them. */
export const filesPutting = (put?: PutBytes): StoreFiles => ({ read, names, write: writing(put), exists, remove })

/** The real disk. Throws `io` with the system's code, and `malformed-metadata` for what is not a regular file. */
export const nodeFiles: StoreFiles = filesPutting()
