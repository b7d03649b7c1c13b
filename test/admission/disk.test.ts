import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { filesPutting } from '../../src/admission/file-store.ts'
import { createLocks, openRunStore, type RunStore } from '../../src/admission/index.ts'
import {
  admittedRun,
  finish,
  hashes,
  identity,
  metaFile,
  newFolder,
  removeFolders,
  reopen,
  runsIn,
  savedRun,
  TRANSCRIPT,
  transcriptFile,
} from '../support/admission/stores.ts'

afterAll(removeFolders)

let folder: string
let store: RunStore

beforeEach(() => {
  folder = newFolder()
  store = reopen(folder)
})

const codeOf = (call: () => unknown): unknown => {
  try {
    call()
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
  return 'nothing was thrown'
}

/** Continues a run under a limit on the size of a file, in a process of its own: the system takes less than it is given. */
const SAVE_LIMITED = `
  import { openRunStore } from ${JSON.stringify(new URL('../../src/admission/index.ts', import.meta.url).href)}
  import { identity } from ${JSON.stringify(new URL('../support/admission/stores.ts', import.meta.url).href)}
  const [, dir, ref] = process.argv
  process.on('SIGXFSZ', () => {})
  const store = openRunStore(dir)
  const run = store.prepareContinue(ref, identity('me')).right
  try {
    store.saveCompleted(run, 'z'.repeat(100_000))
    console.log('saved')
  } catch ({ code, message }) {
    console.log(code)
  }
`

describe('admission: a disk that takes only some of the bytes', () => {
  it('admission: a short write is found before the rename: every byte that was acknowledged stays', () => {
    const ref = savedRun(store, 'me')
    const before = hashes(folder)
    for (const share of [0, 0.3, 0.99]) {
      const files = filesPutting((handle, bytes) => void writeSync(handle, bytes, 0, Math.floor(bytes.byteLength * share)))
      const short = openRunStore(runsIn(folder), { locks: createLocks(), files })
      const run = admittedRun(short.prepareContinue(ref, identity('me')))
      expect(codeOf(() => short.markRunning(run))).toBe('io')
      expect(codeOf(() => short.saveCompleted(run, 'new'))).toBe('io')
      run.release()
      expect(codeOf(() => short.prepareCopy(ref, identity('me')))).toBe('io')
      expect(hashes(folder)).toEqual(before)
    }
    expect(Buffer.from(admittedRun(reopen(folder).prepareContinue(ref, identity('me'))).transcript)).toEqual(
      Buffer.from(TRANSCRIPT),
    )
  })

  it('admission: a limit of the system keeps the old transcript, and leaves no temporary file', () => {
    const ref = savedRun(store, 'me')
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', SAVE_LIMITED, '--', runsIn(folder), ref]
    const { stdout } = spawnSync('bash', ['-c', 'ulimit -f 16; exec "$@"', 'bash', ...node], { encoding: 'utf8' })
    expect(stdout.trim()).toBe('io')
    expect(readFileSync(transcriptFile(folder, ref))).toEqual(Buffer.from(TRANSCRIPT))
    expect(store.load(ref).meta.status).toBe('running')
    expect(readdirSync(runsIn(folder))).toHaveLength(2)
  })

  it('admission: a file that is replaced keeps its rights, and a link stays a link', () => {
    const ref = savedRun(store, 'me')
    chmodSync(metaFile(folder, ref), 0o600)
    finish(store, admittedRun(store.prepareContinue(ref, identity('me'))), 'new')
    expect(statSync(metaFile(folder, ref)).mode & 0o777).toBe(0o600)
    const other = newFolder()
    mkdirSync(runsIn(other))
    for (const file of [metaFile, transcriptFile]) symlinkSync(file(folder, ref), file(other, ref))
    const linked = reopen(other)
    finish(linked, admittedRun(linked.prepareContinue(ref, identity('me'))), 'through the link')
    expect(readFileSync(join(runsIn(folder), `${ref}.jsonl`), 'utf8')).toBe('through the link')
  })
})
