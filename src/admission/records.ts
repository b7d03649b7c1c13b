import { dirname, join } from 'node:path'
import { MergelawError } from '../errors/index.ts'
import { type Branch, decodeBranch, decodeMeta, type RunMeta } from './codec.ts'
import type { StoreFiles } from './file-store.ts'
import { type Fields, malformed } from './json.ts'
import { checkRef, checkSessionId, isRef, quoted, quotedPath } from './names.ts'

/** One saved run as it lies on disk. `fields` is the same object as `meta`, its numbers digit for digit as written. */
export type RunRecord = Readonly<{ ref: string; file: string; meta: RunMeta; fields: Fields }>

/** The records of a store, in the order of their references, and one error per record that could not be read. */
export type Listing = Readonly<{ runs: readonly RunRecord[]; malformed: readonly MergelawError[] }>

/** Metadata is small. A file beyond this is not metadata, and reading it would only fill the memory. */
export const LARGEST_META = 8 * 1024 * 1024

const META = '.meta.json'

/** Reading a store: no function here writes. */
export type Records = Readonly<{
  dir: string
  metaFile: (ref: string) => string
  transcriptFile: (ref: string) => string
  find: (ref: string) => RunRecord | null
  load: (ref: string) => RunRecord
  list: (parentSession?: string) => Listing
  transcript: (ref: string) => Uint8Array
  branch: (session: string) => Branch
}>

/** Opens the records of an absolute directory. */
export function openRecords(dir: string, files: StoreFiles): Records {
  const metaFile = (ref: string): string => join(dir, `${checkRef(ref)}${META}`)
  const transcriptFile = (ref: string): string => join(dir, `${checkRef(ref)}.jsonl`)

  const find = (ref: string): RunRecord | null => {
    const file = metaFile(ref)
    const bytes = files.read(file, LARGEST_META)
    return bytes === null ? null : { ref, file, ...decodeMeta(bytes, file, ref) }
  }
  const load = (ref: string): RunRecord => {
    const record = find(ref)
    if (record !== null) return record
    throw new MergelawError('not-found', `There is no run ${quoted(ref)}: no file ${quotedPath(metaFile(ref))}`, {
      details: { ref },
    })
  }
  const transcript = (ref: string): Uint8Array => {
    const bytes = files.read(transcriptFile(ref))
    if (bytes !== null) return bytes
    const message = `Run ${quoted(ref)} has no transcript: no file ${quotedPath(transcriptFile(ref))}. Start a fresh run`
    throw new MergelawError('not-found', message, { details: { ref } })
  }
  const list = (parentSession?: string): Listing => {
    if (parentSession !== undefined) checkSessionId(parentSession, 'parentSession')
    return listing(files.names(dir), dir, find, parentSession)
  }
  return { dir, metaFile, transcriptFile, find, load, list, transcript, branch: (session) => branchOf(dir, session, files) }
}

/** Reads every record; one that cannot be read is reported and does not hide the others. */
function listing(names: readonly string[], dir: string, find: Records['find'], session: string | undefined): Listing {
  const runs: RunRecord[] = []
  const faults: MergelawError[] = []
  for (const name of names) {
    if (!name.startsWith('sa_') || !name.endsWith(META)) continue
    try {
      const ref = name.slice(0, -META.length)
      if (!isRef(ref)) throw malformed(join(dir, name), 'its name is not a run reference')
      const record = find(ref)
      if (record !== null && (session === undefined || record.meta.parentSession === session)) runs.push(record)
    } catch (error) {
      if (!(error instanceof MergelawError)) throw error
      faults.push(error)
    }
  }
  return { runs, malformed: faults }
}

/** Reads `SESSION.branch.json` in the folder above the store. Anything that cannot be trusted is a `lineage` error. */
function branchOf(dir: string, session: string, files: StoreFiles): Branch {
  const file = join(dirname(dir), `${checkSessionId(session)}.branch.json`)
  const refuse = (why: string, cause?: unknown): MergelawError =>
    new MergelawError('lineage', `The lineage of session ${quoted(session)} cannot be verified: ${why}`, {
      details: { session, file },
      cause,
    })
  const bytes = files.read(file, LARGEST_META)
  if (bytes === null) throw refuse(`there is no file ${quotedPath(file)}`)
  let branch: Branch
  try {
    branch = decodeBranch(bytes, file)
  } catch (error) {
    throw error instanceof MergelawError ? refuse(error.message, error) : error
  }
  if (branch.id !== session) throw refuse(`${quotedPath(file)} says that it is session ${quoted(branch.id)}`)
  return branch
}
