/** Run stores on a real disk for the admission tests: making them, altering them behind the store's back, hashing them. */
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import {
  createLocks,
  type Expectation,
  openRunStore,
  type Preparation,
  type PreparedRun,
  type Refusal,
  type RunStore,
} from '../../../src/admission/index.ts'

const folders: string[] = []

/** A new empty folder; `removeFolders` takes all of them away again. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mergelaw-admission-'))
  folders.push(folder)
  return folder
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** The directory of the store inside a folder; branch files lie in the folder itself. */
export const runsIn = (folder: string): string => join(folder, 'subagents')

/** Works on a copy of a folder, and takes the copy away again. */
export function inCopyOf<A>(folder: string, body: (copy: string) => A): A {
  const copy = mkdtempSync(join(tmpdir(), 'mergelaw-admission-'))
  try {
    cpSync(folder, copy, { recursive: true })
    return body(copy)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** A store with locks of its own: what a new process would see. */
export const reopen = (folder: string): RunStore => openRunStore(runsIn(folder), { locks: createLocks() })

/** A new empty store, and its folder. */
export function newStore(): { folder: string; store: RunStore } {
  const folder = newFolder()
  return { folder, store: reopen(folder) }
}

/** The same with three sessions, each the child of the one before: root, parent and child. */
export function newFamilyStore(): ReturnType<typeof newStore> {
  const made = newStore()
  writeBranch(made.folder, 'root', null)
  writeBranch(made.folder, 'parent', 'root')
  writeBranch(made.folder, 'child', 'parent')
  return made
}

export const identity = (parentSession: string, changes: Partial<Expectation> = {}): Expectation => ({
  kind: 'task',
  name: 'researcher',
  workspaceRoot: '/home/me/project',
  parentSession,
  systemPromptHash: 'sha256:persona',
  toolScope: ['read', 'grep', 'bash'],
  toolSchemaHash: 'sha256:tools',
  model: 'deepseek-chat',
  effort: 'high',
  ...changes,
})

/** Bytes that are neither UTF-8 nor JSON: the store must hand a transcript on as it is. */
export const TRANSCRIPT = Uint8Array.from([...Buffer.from('{"role":"user","content":"né"}\n'), 0xff, 0xfe, 0x00, 0x0a])

/** The run of a preparation that the test needs to be admitted. */
export function admittedRun(result: Preparation): PreparedRun {
  if (result._tag === 'Left') throw new Error(`refused: ${result.left.advice}`)
  return result.right
}

/** The refusal of a preparation that the test needs to be refused. */
export function refused(result: Preparation): Refusal {
  if (result._tag === 'Right') throw new Error(`${result.right.ref} was admitted`)
  return result.left
}

/** The code of what a call throws, or the thing itself where it has none. */
export function codeOf(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
  return 'nothing was thrown'
}

/** Saves a completed run of a session and returns its reference. */
export function savedRun(store: RunStore, parentSession: string, transcript: string | Uint8Array = TRANSCRIPT): string {
  const run = store.prepareFresh(identity(parentSession))
  return finish(store, run, transcript)
}

export function finish(store: RunStore, run: PreparedRun, transcript: string | Uint8Array = TRANSCRIPT): string {
  store.markRunning(run)
  store.saveCompleted(run, transcript)
  run.release()
  return run.ref
}

export const metaFile = (folder: string, ref: string): string => join(runsIn(folder), `${ref}.meta.json`)
export const transcriptFile = (folder: string, ref: string): string => join(runsIn(folder), `${ref}.jsonl`)
export const readMeta = (folder: string, ref: string): Record<string, unknown> =>
  JSON.parse(readFileSync(metaFile(folder, ref), 'utf8'))

/** Changes the metadata on disk, as damage or another version would: `undefined` takes a field away. Keeps unknown fields. */
export function alter(folder: string, ref: string, changes: Readonly<Record<string, unknown>>): void {
  writeFileSync(metaFile(folder, ref), `${JSON.stringify({ ...readMeta(folder, ref), ...changes }, null, 1)}\n\n`)
}

export function writeBranch(folder: string, id: string, parentSession: string | null): void {
  writeFileSync(join(folder, `${id}.branch.json`), JSON.stringify({ id, parentSession }))
}

/** The hash of every file under a folder, by its path: two equal results mean that no byte and no name has changed. */
export function hashes(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(paths.map((path) => [relative(folder, path), hashOf(readFileSync(path))]))
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
