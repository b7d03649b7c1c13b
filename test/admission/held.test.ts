import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/admission/file-store.ts'
import { admit, createLocks, MergelawError, openRunStore, type PreparedRun, type RunStore } from '../../src/admission/index.ts'
import {
  admittedRun,
  alter,
  finish,
  hashes,
  identity,
  metaFile,
  newFolder,
  newStore,
  readMeta,
  removeFolders,
  runsIn,
  savedRun,
  transcriptFile,
} from '../support/admission/stores.ts'

afterAll(removeFolders)

let folder: string
let store: RunStore

beforeEach(() => {
  ;({ folder, store } = newStore())
})

const continued = (ref: string): PreparedRun => admittedRun(store.prepareContinue(ref, identity('me')))

describe('admission: a run that is held', () => {
  it('admission: a record that somebody altered while the run was held is not written over', () => {
    const changes: Readonly<Record<string, unknown>>[] = [
      { status: 'paused' },
      { status: undefined },
      { model: 'x' },
      { toolScope: [] },
    ]
    for (const change of changes) {
      const ref = savedRun(store, 'me')
      for (const isMarked of [false, true]) {
        const run = continued(ref)
        if (isMarked) store.markRunning(run)
        const [before, kept] = [hashes(folder), readFileSync(metaFile(folder, ref))]
        alter(folder, ref, change)
        const altered = hashes(folder)
        for (const write of [
          () => store.saveCompleted(run, 'x'),
          () => store.saveCancelled(run, 'x'),
          () => store.saveFailed(run, 'x'),
          () => store.markRunning(run),
        ])
          expect(write).toThrow('was altered on disk')
        expect(hashes(folder)).toEqual(altered)
        // As it was prepared, it can be saved.
        writeFileSync(metaFile(folder, ref), kept)
        expect(hashes(folder)).toEqual(before)
        store.saveCompleted(run, 'x')
        run.release()
      }
    }
  })

  it('admission: a record that appears under a fresh reference is not written over', () => {
    const ref = savedRun(store, 'me')
    const kept = readFileSync(metaFile(folder, ref))
    rmSync(metaFile(folder, ref))
    rmSync(transcriptFile(folder, ref))
    const fresh = openRunStore(runsIn(folder), { newRef: () => ref, locks: createLocks() })
    const run = fresh.prepareFresh(identity('me'))
    writeFileSync(metaFile(folder, ref), kept)
    expect(() => fresh.saveCompleted(run, 'x')).toThrow('was altered on disk')
    expect(readFileSync(metaFile(folder, ref))).toEqual(kept)
  })

  it('admission: an unknown field that was added while the run was held is kept', () => {
    const ref = savedRun(store, 'me')
    const run = continued(ref)
    store.markRunning(run)
    alter(folder, ref, { title: 'added meanwhile', updatedAt: '2026-01-01T00:00:00.000000Z' })
    store.saveCompleted(run, 'x')
    expect(readMeta(folder, ref)).toMatchObject({ status: 'completed', title: 'added meanwhile' })
  })

  it('admission: the call that continues a run is recorded', () => {
    const ref = savedRun(store, 'me')
    finish(store, admittedRun(store.prepareContinue(ref, identity('me'), { parentToolCallId: 'call_9' })))
    expect(readMeta(folder, ref)['parentToolCallId']).toBe('call_9')
    finish(store, continued(ref))
    expect(readMeta(folder, ref)['parentToolCallId']).toBe('call_9')
  })

  it('admission: a copy has its own time, and not the call of its source', () => {
    const run = store.prepareFresh(identity('me'), { parentToolCallId: 'call_1' })
    const ref = finish(store, run)
    alter(folder, ref, { createdAt: '2020-01-01T00:00:00.000000Z' })
    const copy = readMeta(folder, admittedRun(store.prepareCopy(ref, identity('me'))).ref)
    expect(copy['parentToolCallId']).toBeNull()
    expect(copy['createdAt']).toBe(copy['updatedAt'])
  })
})

describe('admission: locks and directories', () => {
  it('admission: a link to the directory is the same directory, and another directory is another one', () => {
    const link = join(folder, 'link')
    const late = openRunStore(join(link, 'later', 'runs'))
    const ref = savedRun(store, 'me')
    symlinkSync(runsIn(folder), link)
    const locks = createLocks()
    const first = openRunStore(runsIn(folder), { locks }).prepareContinue(ref, identity('me'))
    expect(() => openRunStore(link, { locks }).prepareContinue(ref, identity('me'))).toThrow('is in use')
    const other = newFolder()
    cpSync(runsIn(folder), runsIn(other), { recursive: true })
    expect(openRunStore(runsIn(other), { locks }).prepareContinue(ref, identity('me'))._tag).toBe('Right')
    admittedRun(first).release()
    expect(openRunStore(link, { locks }).prepareContinue(ref, identity('me'))._tag).toBe('Right')
    // A directory that is not there yet has the same name before and after it was made.
    const run = late.prepareFresh(identity('me'))
    late.saveCompleted(run, 'x')
    expect(() => openRunStore(join(runsIn(folder), 'later', 'runs')).prepareContinue(run.ref, identity('me'))).toThrow(
      'is in use',
    )
    run.release()
  })
})

/** A disk that cannot take files away, and cannot write metadata while it is full. */
const stuckStore = (locks: ReturnType<typeof createLocks>, isFull: () => boolean): RunStore =>
  openRunStore(runsIn(folder), {
    locks,
    newRef: () => 'sa_copy',
    files: {
      ...nodeFiles,
      write: (path, bytes) => {
        if (isFull() && path.endsWith('.meta.json')) throw new MergelawError('io', 'the disk is full')
        nodeFiles.write(path, bytes)
      },
      remove: () => {
        throw new MergelawError('io', 'nothing can be removed')
      },
    },
  })

describe('admission: copies on a disk that fails twice', () => {
  it('admission: when the copy cannot be taken away, the error is that of the write, and both locks are free', () => {
    const source = savedRun(store, 'me')
    const locks = createLocks()
    expect(() => stuckStore(locks, () => true).prepareCopy(source, identity('me'))).toThrow('the disk is full')
    for (const ref of [source, 'sa_copy']) expect(locks.isTaken(runsIn(folder), ref)).toBe(false)
  })

  it('admission: when the release of a copy that did not run cannot take it away, the lock is free all the same', () => {
    const source = savedRun(store, 'me')
    const locks = createLocks()
    const copy = admittedRun(stuckStore(locks, () => false).prepareCopy(source, identity('me')))
    expect(locks.isTaken(runsIn(folder), 'sa_copy')).toBe(true)
    expect(() => copy.release()).toThrow('nothing can be removed')
    expect(locks.isTaken(runsIn(folder), 'sa_copy')).toBe(false)
    expect(store.prepareContinue('sa_copy', identity('me'))).toMatchObject({ left: { code: 'status-running' } })
  })
})

describe('admission: what is no record', () => {
  it('admission: a pipe in place of a record is malformed, and nobody waits for its writer', () => {
    const ref = savedRun(store, 'me')
    const fifo = metaFile(folder, 'sa_pipe')
    expect(spawnSync('mkfifo', [fifo]).status).toBe(0)
    // In a process of its own: a store that opens the pipe waits for ever.
    const script = `
      import { openRunStore } from ${JSON.stringify(new URL('../../src/admission/index.ts', import.meta.url).href)}
      const { runs, malformed } = openRunStore(process.argv[1]).list()
      console.log(JSON.stringify([runs.map(({ ref }) => ref), malformed.map(({ code }) => code)]))
    `
    const args = ['--import', 'tsx', '--input-type=module', '-e', script, '--', runsIn(folder)]
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 15_000, killSignal: 'SIGKILL' })
    expect(stdout).toBe(`${JSON.stringify([[ref], ['malformed-metadata']])}\n`)
    rmSync(fifo)
  })

  it('admission: without a record, or without an expectation, the decision is a refusal', () => {
    const whole = { ref: 'sa_x', status: 'completed', ...identity('me') }
    for (const nothing of [null, undefined] as unknown as (typeof whole)[]) {
      expect(admit(nothing, identity('me'))).toMatchObject({ _tag: 'Left', left: { code: 'status-missing', found: null } })
      expect(admit(whole, nothing)).toMatchObject({ _tag: 'Left', left: { code: 'owner', found: 'me', wanted: null } })
      expect(admit(nothing, nothing)).toMatchObject({ _tag: 'Left', left: { code: 'status-missing' } })
    }
  })
})
