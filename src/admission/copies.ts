import { MergelawError } from '../errors/index.ts'
import { contractOf, type Expectation } from './codec.ts'
import { quoted } from './names.ts'
import type { PreparedRun } from './prepared.ts'
import type { RunRecord } from './records.ts'
import { type Core, metaBytes } from './writer.ts'

/** What the caller may add to a preparation; it is no part of the identity. */
export type Call = Readonly<{ parentToolCallId?: string }>

/** Keeps what a call may say. Throws `usage` for an id that is not text: written, it would make the record malformed. */
export function checkCall({ parentToolCallId }: Call): Call {
  if (parentToolCallId === undefined) return {}
  if (typeof parentToolCallId === 'string') return { parentToolCallId }
  throw new MergelawError('usage', `parentToolCallId must be text, but is ${quoted(parentToolCallId)}`)
}

/**
 * Copies an admitted run into a new one of the expecting session: the transcript first, then the metadata, as `running`.
 *
 * The copy carries every field of its source that is not its own, unknown ones too. When a write fails, and when the copy is
 * released without having run, its files are taken away again, so that it cannot stand in the way of the next copy.
 */
export function writeCopy(core: Core, source: RunRecord, expectation: Expectation, call: Call): PreparedRun {
  const { records, files, locks, handles } = core
  const transcript = records.transcript(source.ref)
  const ref = core.newRef()
  const release = locks.take(records.dir, ref)
  const discard = (): void => {
    files.remove(records.metaFile(ref))
    files.remove(records.transcriptFile(ref))
  }
  let expected: readonly string[]
  try {
    const fields = copiedFields(core, source, ref, expectation, call)
    const meta = metaBytes(fields)
    expected = [contractOf(fields)]
    files.write(records.transcriptFile(ref), transcript)
    files.write(records.metaFile(ref), meta)
  } catch (error) {
    try {
      discard()
    } catch {
      // The failed write is the error to report. What is left is a transcript without metadata, or a run that is `running`.
    }
    release()
    throw error
  }
  const { parentSession } = expectation
  return handles.hold(
    { ref, parentSession, forkedFrom: source.ref, transcript },
    { first: null, patch: {}, expected, discard },
    release,
  )
}

function copiedFields({ now }: Core, source: RunRecord, ref: string, { parentSession }: Expectation, call: Call) {
  const at = now()
  const parentToolCallId = call.parentToolCallId ?? null
  const own = { ref, status: 'running', parentSession, parentToolCallId, forkedFrom: source.ref, createdAt: at, updatedAt: at }
  return { ...source.fields, ...own }
}
