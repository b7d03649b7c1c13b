import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { filesPutting } from '../../src/admission/file-store.ts'
import { createLocks, openRunStore, type RunStore } from '../../src/admission/index.ts'
import { DEEPEST } from '../../src/admission/json.ts'
import { LARGEST_META } from '../../src/admission/records.ts'
import {
  admittedRun,
  codeOf,
  finish,
  hashes,
  identity,
  metaFile,
  newFolder,
  newStore,
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
  ;({ folder, store } = newStore())
})

const messageOf = (call: () => unknown): string => {
  try {
    call()
  } catch (error) {
    return String(error)
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

const withField = (ref: string, text: string): void => {
  const meta = readFileSync(metaFile(folder, ref), 'utf8')
  writeFileSync(metaFile(folder, ref), meta.replace('{', `{"x": ${text},`))
}
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('admission: what is written can be read back', () => {
  it('admission: metadata that indenting would make too big is written in one line', () => {
    const ref = savedRun(store, 'me')
    withField(ref, `[${'0,'.repeat(1_500_000)}0]`)
    finish(store, admittedRun(store.prepareContinue(ref, identity('me'))), 'new')
    expect(statSync(metaFile(folder, ref)).size).toBeLessThan(LARGEST_META)
    expect(Buffer.from(admittedRun(store.prepareContinue(ref, identity('me'))).transcript).toString()).toBe('new')
  }, 60_000)

  it('admission: metadata that would be too big even so is refused before the first write', () => {
    const ref = savedRun(store, 'me')
    const small = statSync(metaFile(folder, ref)).size
    withField(ref, JSON.stringify('x'.repeat(LARGEST_META - small - 20)))
    const before = hashes(folder)
    const run = admittedRun(store.prepareContinue(ref, identity('me'), { parentToolCallId: 'y'.repeat(100) }))
    for (const write of [() => store.saveCompleted(run, 'new'), () => store.markRunning(run)]) expect(codeOf(write)).toBe('usage')
    run.release()
    expect(hashes(folder)).toEqual(before)
  }, 60_000)

  it('admission: a fresh run whose identity is too big is refused when it is prepared, and its lock is free', () => {
    const locks = createLocks()
    const fresh = openRunStore(runsIn(folder), { locks, newRef: () => 'sa_big' })
    expect(codeOf(() => fresh.prepareFresh(identity('me', { name: 'x'.repeat(LARGEST_META) })))).toBe('usage')
    expect([locks.isTaken(runsIn(folder), 'sa_big'), hashes(folder)]).toEqual([false, {}])
  })

  it('admission: what may be marked as running may be saved, to the last byte', () => {
    const refusal = messageOf(() => store.prepareFresh(identity('me', { name: 'x'.repeat(LARGEST_META) })))
    const [, bytes, room] = /would have (\d+) bytes, more than the (\d+) /.exec(refusal) ?? []
    const fits = LARGEST_META - (Number(bytes) - Number(room))
    expect(codeOf(() => store.prepareFresh(identity('me', { name: 'x'.repeat(fits + 1) })))).toBe('usage')
    const crashed = store.prepareFresh(identity('me', { name: 'x'.repeat(fits) }))
    store.markRunning(crashed)
    store.saveCompleted(crashed, 'new')
    store.markRunning(crashed)
    crashed.release()
    expect([store.markInterrupted(crashed.ref), store.load(crashed.ref).meta.status]).toEqual([true, 'interrupted'])
  }, 60_000)

  it('admission: a caller that changes his tool scope afterwards changes no record', () => {
    const toolScope = ['read']
    const run = store.prepareFresh(identity('me', { toolScope }))
    toolScope.push('bash')
    expect(store.load(finish(store, run)).meta.toolScope).toEqual(['read'])
  })
})

describe('admission: deep records', () => {
  it('admission: a record is read, written and copied down to the limit, and is malformed below it', () => {
    const ref = savedRun(store, 'me')
    withField(ref, nested(DEEPEST - 1))
    finish(store, admittedRun(store.prepareContinue(ref, identity('me'))))
    admittedRun(store.prepareCopy(ref, identity('me'))).release()
    for (const depth of [DEEPEST, 1500, 4500, 10_000, 1_000_000]) {
      const deep = savedRun(store, 'me')
      withField(deep, nested(depth))
      const before = hashes(folder)
      for (const call of [() => store.load(deep), () => store.prepareContinue(deep, identity('me'))])
        expect(codeOf(call)).toBe('malformed-metadata')
      expect(() => store.prepareCopy(deep, identity('me'))).toThrow(`${deep}.meta.json" is malformed: it is nested more than`)
      expect(store.list().runs.map((record) => record.ref)).toEqual([ref])
      expect(hashes(folder)).toEqual(before)
      rmSync(metaFile(folder, deep))
    }
  })

  it('admission: brackets inside text are no depth', () => {
    const ref = savedRun(store, 'me')
    withField(ref, JSON.stringify(`\\" ${'[{"'.repeat(2000)}`))
    expect(store.list().runs.map((record) => record.ref)).toEqual([ref])
  })
})
