import { MergelawError } from '../errors/index.ts'
import { contractOf } from './codec.ts'
import type { StoreFiles } from './file-store.ts'
import { type Fields, writeJson } from './json.ts'
import type { LockTable } from './locks.ts'
import { quoted, quotedPath } from './names.ts'
import type { Handles, Held, PreparedRun } from './prepared.ts'
import { LARGEST_META, type Records, type RunRecord } from './records.ts'
import { KNOWN_STATUSES, type KnownStatus } from './status.ts'

/** What every part of a store works with. */
export type Core = Readonly<{
  records: Records
  files: StoreFiles
  locks: LockTable
  handles: Handles
  /** The current instant as canonical UTC text. */
  now: () => string
  /** A reference that nobody has used. */
  newRef: () => string
}>

export type Writer = Readonly<{
  markRunning: (run: PreparedRun) => void
  save: (run: PreparedRun, status: KnownStatus, transcript: string | Uint8Array | undefined) => void
  markInterrupted: (ref: string) => boolean
}>

const LONGEST_STATUS = Math.max(...KNOWN_STATUSES.map(({ length }) => length))

/**
 * Metadata as bytes: indented, because people read it, and in one line where the indented text could not be read back.
 *
 * Throws `usage` for what is too big even so: a record that no reader takes must not be written. It is measured with the longest
 * status, so that a run that was marked as running can also be saved.
 */
export function metaBytes(fields: Readonly<Record<string, unknown>>): Uint8Array {
  const { ref, status } = fields
  const room = LARGEST_META - LONGEST_STATUS + String(status).length
  const bytesWith = (indent: string): Uint8Array => new TextEncoder().encode(`${writeJson(fields, indent)}\n`)
  const indented = bytesWith('  ')
  const bytes = indented.byteLength > room ? bytesWith('') : indented
  if (bytes.byteLength <= room) return bytes
  const message = `The metadata of run ${quoted(ref)} would have ${bytes.byteLength} bytes, more than the ${room} that can be read back`
  throw new MergelawError('usage', `${message}: shorten its fields. Nothing was written`, { details: { ref } })
}

/**
 * The writes of a store. Their order makes a crash harmless at every point: first the record stops saying that it ended well
 * (`running`), then the transcript is replaced, last the metadata says how the run ended. Fields that are not ours are kept.
 */
export function createWriter({ records, files, locks, handles, now }: Core): Writer {
  const writeMeta = (ref: string, fields: Fields): void => files.write(records.metaFile(ref), metaBytes(fields))

  /** Writes the record of a held run, and remembers it. After a failure the old or the new one may be on disk. */
  const writeHeld = (held: Held, ref: string, fields: Fields): void => {
    const next = contractOf(fields)
    held.expected = [...held.expected, next]
    writeMeta(ref, fields)
    held.expected = [next]
  }

  /** The metadata to write on top of: what is on disk now, and what the preparation adds. */
  const baseOf = (run: PreparedRun): Readonly<{ held: Held; fields: Fields; mayBeAdmitted: boolean }> => {
    const held = handles.open(run)
    const record = held.first === null ? records.load(run.ref) : records.find(run.ref)
    if (record !== null && !held.expected.includes(contractOf(record.fields))) throw altered(record)
    const mayBeAdmitted = record !== null && record.meta.status !== 'running'
    return { held, fields: { ...(record?.fields ?? held.first), ...held.patch }, mayBeAdmitted }
  }

  const markRunning: Writer['markRunning'] = (run) => {
    const { held, fields } = baseOf(run)
    writeHeld(held, run.ref, { ...fields, status: 'running', updatedAt: now() })
  }

  const save: Writer['save'] = (run, status, transcript) => {
    const bytes = transcript === undefined ? null : bytesOf(run.ref, transcript)
    const { held, fields, mayBeAdmitted } = baseOf(run)
    // Before the first write: when the end of the run cannot be recorded, its transcript must not be replaced either.
    metaBytes({ ...fields, status, updatedAt: now() })
    if (mayBeAdmitted) writeHeld(held, run.ref, { ...fields, status: 'running', updatedAt: now() })
    if (bytes !== null) files.write(records.transcriptFile(run.ref), bytes)
    writeHeld(held, run.ref, { ...fields, status, updatedAt: now() })
  }

  const markInterrupted: Writer['markInterrupted'] = (ref) => {
    records.metaFile(ref)
    const release = locks.take(records.dir, ref)
    try {
      const { fields, meta } = records.load(ref)
      if (meta.status !== 'running') return false
      writeMeta(ref, { ...fields, status: 'interrupted', updatedAt: now() })
      return true
    } finally {
      release()
    }
  }
  return { markRunning, save, markInterrupted }
}

/** A record that says something else than when it was admitted is somebody else's word: it is not written over. */
function altered({ ref, file, meta }: RunRecord): MergelawError {
  const message = `Run ${quoted(ref)} was altered on disk while it was held: ${quotedPath(file)} now has status ${quoted(meta.status)}`
  return new MergelawError('locked', `${message}. Nothing was written: look at it, release the run and prepare it again`, {
    details: { ref, file },
  })
}

/** The bytes of a transcript. Anything but text or bytes is refused before the first write. */
function bytesOf(ref: string, transcript: unknown): Uint8Array {
  if (transcript instanceof Uint8Array) return transcript
  if (typeof transcript === 'string') return new TextEncoder().encode(transcript)
  const what = transcript === null ? 'null' : typeof transcript
  throw new MergelawError('usage', `The transcript of run ${quoted(ref)} must be text or bytes, but is ${what}`)
}
