import { MergelawError } from '../errors/index.ts'
import type { StoreFiles } from './file-store.ts'
import { writeJson } from './json.ts'
import type { LockTable } from './locks.ts'
import { quoted } from './names.ts'
import type { Handles, PreparedRun } from './prepared.ts'
import { LARGEST_META, type Records } from './records.ts'
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
  const writeMeta = (ref: string, fields: Readonly<Record<string, unknown>>, status: KnownStatus): void =>
    files.write(records.metaFile(ref), metaBytes({ ...fields, status, updatedAt: now() }))

  /** The metadata to write on top of: what is on disk now, and what the preparation adds. */
  const baseOf = (run: PreparedRun): Readonly<{ fields: Readonly<Record<string, unknown>>; mayBeAdmitted: boolean }> => {
    const { first, patch } = handles.open(run)
    const record = first === null ? records.load(run.ref) : records.find(run.ref)
    const mayBeAdmitted = record !== null && record.meta.status !== 'running'
    return { fields: { ...(record?.fields ?? first), ...patch }, mayBeAdmitted }
  }

  const markRunning: Writer['markRunning'] = (run) => writeMeta(run.ref, baseOf(run).fields, 'running')

  const save: Writer['save'] = (run, status, transcript) => {
    const bytes = transcript === undefined ? null : bytesOf(run.ref, transcript)
    const { fields, mayBeAdmitted } = baseOf(run)
    // Before the first write: when the end of the run cannot be recorded, its transcript must not be replaced either.
    metaBytes({ ...fields, status, updatedAt: now() })
    if (mayBeAdmitted) writeMeta(run.ref, fields, 'running')
    if (bytes !== null) files.write(records.transcriptFile(run.ref), bytes)
    writeMeta(run.ref, fields, status)
  }

  const markInterrupted: Writer['markInterrupted'] = (ref) => {
    records.metaFile(ref)
    const release = locks.take(records.dir, ref)
    try {
      const { fields, meta } = records.load(ref)
      if (meta.status !== 'running') return false
      writeMeta(ref, fields, 'interrupted')
      return true
    } finally {
      release()
    }
  }
  return { markRunning, save, markInterrupted }
}

/** The bytes of a transcript. Anything but text or bytes is refused before the first write. */
function bytesOf(ref: string, transcript: unknown): Uint8Array {
  if (transcript instanceof Uint8Array) return transcript
  if (typeof transcript === 'string') return new TextEncoder().encode(transcript)
  const what = transcript === null ? 'null' : typeof transcript
  throw new MergelawError('usage', `The transcript of run ${quoted(ref)} must be text or bytes, but is ${what}`)
}
