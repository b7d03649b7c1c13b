import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { Temporal } from 'temporal-polyfill'
import { MergelawError } from '../errors/index.ts'
import { decodeExpectation, type Expectation } from './codec.ts'
import { type Call, checkCall } from './copies.ts'
import { nodeFiles, type StoreFiles } from './file-store.ts'
import { type LockTable, processLocks } from './locks.ts'
import { quoted } from './names.ts'
import { createHandles, type PreparedRun } from './prepared.ts'
import { type Listing, openRecords, type RunRecord } from './records.ts'
import { createRoutes, type Routes } from './routes.ts'
import { type Core, createWriter, metaBytes } from './writer.ts'

type Transcript = string | Uint8Array

/**
 * The saved child runs of one directory. Synchronous: between reading a record and writing it nothing else of the process runs.
 *
 * A refusal is a value (Left). Everything else that goes wrong is thrown as a MergelawError: `usage`, `not-found`,
 * `malformed-metadata`, `locked`, `lineage`, `ambiguous`, `io`.
 */
export type RunStore = Routes &
  Readonly<{
    /** The record of a run, whatever its status, for diagnosis. It reads only. */
    load: (ref: string) => RunRecord
    /** The runs of a session, or of all sessions, sorted by reference; unreadable records are reported beside them. */
    list: (parentSession?: string) => Listing
    /** A new run under a new reference, locked. Nothing is written before `markRunning` or a save. */
    prepareFresh: (identity: Expectation, call?: Call) => PreparedRun
    /** Records that the run is in progress. From here until a save, a crash leaves a run that is not admitted. */
    markRunning: (run: PreparedRun) => void
    /** Replaces the transcript, then records that the run ended well: it may be continued and copied from now on. */
    saveCompleted: (run: PreparedRun, transcript: Transcript) => void
    /** As `saveCompleted`, for a run that its caller stopped: it may be continued and copied too. */
    saveCancelled: (run: PreparedRun, transcript: Transcript) => void
    /** Records that the run failed: it is never admitted. Without a transcript the old one is kept. */
    saveFailed: (run: PreparedRun, transcript?: Transcript) => void
    /** Turns a `running` record that nobody runs any more into `interrupted`. False, and untouched, for every other status. */
    markInterrupted: (ref: string) => boolean
  }>

/** What a test may replace; the defaults are the real disk, the locks of this process, the clock and random references. */
export type StoreOptions = Readonly<{ files?: StoreFiles; locks?: LockTable; now?: () => string; newRef?: () => string }>

const clock = (): string => Temporal.Now.instant().toString({ fractionalSecondDigits: 6 })

/** Sorts by time, and is unique without asking anybody. */
const randomRef = (): string => `sa_${clock().replace(/\D/g, '')}_${randomBytes(6).toString('hex')}`

/**
 * Opens the run store of a directory; branch files are read from the folder above it. Use one per directory; several share their
 * locks inside one process. Creates nothing: the directory appears with the first write. Throws `usage` for an empty path.
 */
export function openRunStore(dir: string, options: StoreOptions = {}): RunStore {
  const core = createCore(dir, options)
  const { records } = core
  const { markRunning, save, markInterrupted } = createWriter(core)
  return Object.freeze({
    ...createRoutes(core),
    load: records.load,
    list: records.list,
    prepareFresh: (identity: Expectation, call: Call = {}) => prepareFresh(core, decodeExpectation(identity), checkCall(call)),
    markRunning,
    saveCompleted: (run: PreparedRun, transcript: Transcript) => save(run, 'completed', required(transcript)),
    saveCancelled: (run: PreparedRun, transcript: Transcript) => save(run, 'cancelled', required(transcript)),
    saveFailed: (run: PreparedRun, transcript?: Transcript) => save(run, 'failed', transcript),
    markInterrupted,
  })
}

/** Puts the parts of a store together. For `openRunStore`, and for the tests that plant a wrong decision. */
export function createCore(dir: string, options: StoreOptions = {}): Core {
  if (dir === '') throw new MergelawError('usage', 'A run store needs a directory, but its path is empty')
  const { files = nodeFiles, locks = processLocks, now = clock, newRef = randomRef } = options
  const records = openRecords(resolve(dir), files)
  const unused = (): string => {
    const ref = newRef()
    if (!files.exists(records.metaFile(ref)) && !files.exists(records.transcriptFile(ref))) return ref
    throw new MergelawError('usage', `The new reference ${quoted(ref)} is in use: references must be unique`, {
      details: { ref },
    })
  }
  return { records, files, locks, handles: createHandles(), now, newRef: unused }
}

function prepareFresh(core: Core, identity: Expectation, call: Call): PreparedRun {
  const { records, locks, handles, now, newRef } = core
  const ref = newRef()
  const release = locks.take(records.dir, ref)
  try {
    const first = firstFields(ref, identity, call, now())
    // What could never be written is refused now, and not after the run has done its work.
    metaBytes(first)
    const run = { ref, parentSession: identity.parentSession, forkedFrom: null, transcript: new Uint8Array() }
    return handles.hold(run, { first, patch: {}, expected: [] }, release)
  } catch (error) {
    release()
    throw error
  }
}

function firstFields(ref: string, identity: Expectation, call: Call, createdAt: string): Readonly<Record<string, unknown>> {
  const { kind, name, workspaceRoot, parentSession, systemPromptHash, toolScope, toolSchemaHash, model, effort } = identity
  const owner = { kind, name, workspaceRoot, parentSession, parentToolCallId: call.parentToolCallId ?? null, forkedFrom: null }
  const tools = { systemPromptHash, toolScope, toolSchemaHash, model, effort }
  return { ref, status: 'running', ...owner, ...tools, createdAt, updatedAt: createdAt }
}

/** A run that may be continued has a transcript: without one, saving it as ended well would promise what is not there. */
function required(transcript: Transcript): Transcript {
  if (transcript !== undefined) return transcript
  throw new MergelawError('usage', 'A run that ended well needs its transcript: pass it as text or bytes')
}
