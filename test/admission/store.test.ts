import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createLocks, MergelawError, openRunStore, type PreparedRun, type RunStore } from '../../src/admission/index.ts'
import {
  admittedRun,
  alter,
  hashes,
  identity,
  metaFile,
  newStore,
  readMeta,
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

const continued = (ref: string): PreparedRun => admittedRun(store.prepareContinue(ref, identity('me')))

describe('admission: the life of a run', () => {
  it('admission: a fresh run writes nothing before it is marked, then the whole record', () => {
    const run = store.prepareFresh(identity('me'), { parentToolCallId: 'call_7' })
    expect(hashes(folder)).toEqual({})
    store.markRunning(run)
    expect(readMeta(folder, run.ref)).toEqual({
      ref: run.ref,
      status: 'running',
      ...identity('me'),
      parentToolCallId: 'call_7',
      forkedFrom: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
    run.release()
  })

  it('admission: each end is recorded under its own word, and only two of them may go on', () => {
    const ends = [
      ['completed', (run: PreparedRun) => store.saveCompleted(run, TRANSCRIPT)],
      ['cancelled', (run: PreparedRun) => store.saveCancelled(run, TRANSCRIPT)],
      ['failed', (run: PreparedRun) => store.saveFailed(run, TRANSCRIPT)],
      ['running', (run: PreparedRun) => store.markRunning(run)],
    ] as const
    const went: unknown[] = []
    for (const [status, end] of ends) {
      const run = store.prepareFresh(identity('me'))
      end(run)
      run.release()
      expect(readMeta(folder, run.ref)['status']).toBe(status)
      const again = store.prepareContinue(run.ref, identity('me'))
      went.push(again._tag === 'Right' ? 'on' : again.left.code)
    }
    expect(went).toEqual(['on', 'on', 'status-failed', 'status-running'])
  })

  it('admission: a transcript is handed on byte for byte', () => {
    expect(continued(savedRun(store, 'me')).transcript).toEqual(Buffer.from(TRANSCRIPT))
  })

  it('admission: a continuation changes nothing until it is marked, and then only what it says', () => {
    const ref = savedRun(store, 'me')
    const before = readMeta(folder, ref)
    const run = continued(ref)
    expect(readMeta(folder, ref)).toEqual(before)
    store.markRunning(run)
    expect(readMeta(folder, ref)).toEqual({ ...before, status: 'running', updatedAt: expect.any(String) })
  })

  it('admission: a failed continuation without a transcript keeps the old one', () => {
    const ref = savedRun(store, 'me')
    store.saveFailed(continued(ref))
    expect(readFileSync(transcriptFile(folder, ref))).toEqual(Buffer.from(TRANSCRIPT))
    expect(store.load(ref).meta.status).toBe('failed')
  })

  it('admission: only a running record is marked as interrupted; the others are not touched', () => {
    const ref = savedRun(store, 'me')
    for (const status of ['completed', 'cancelled', 'failed', 'interrupted', 'paused', '', null, undefined, 'Running']) {
      alter(folder, ref, { status })
      const before = hashes(folder)
      expect(store.markInterrupted(ref)).toBe(false)
      expect(hashes(folder)).toEqual(before)
    }
    alter(folder, ref, { status: 'running' })
    expect(store.markInterrupted(ref)).toBe(true)
    expect(store.load(ref).meta.status).toBe('interrupted')
  })

  it('admission: a run that was released, or made by hand, or is of another store, writes nothing', () => {
    const run = store.prepareFresh(identity('me'))
    const other = reopen(folder)
    expect(() => other.markRunning(run)).toThrow('was not prepared by this store')
    expect(() => store.saveCompleted({ ...run }, 'x')).toThrow('was not prepared by this store')
    run.release()
    expect(() => store.saveCompleted(run, 'x')).toThrow('was released')
    expect(() => store.markRunning(run)).toThrow('was released')
    expect(hashes(folder)).toEqual({})
  })

  it('admission: a transcript that is no transcript is refused before anything is written', () => {
    const ref = savedRun(store, 'me')
    const before = hashes(folder)
    const run = continued(ref)
    // What a JavaScript caller may pass.
    for (const wrong of [undefined, null, 7, {}, ['x']] as unknown as string[]) {
      expect(() => store.saveCompleted(run, wrong)).toThrow(/transcript/)
      expect(() => store.saveCancelled(run, wrong)).toThrow(/transcript/)
    }
    expect(hashes(folder)).toEqual(before)
  })

  it('admission: stores on one directory share the locks of the process, however its path is spelled', () => {
    const ref = savedRun(store, 'me')
    const first = openRunStore(runsIn(folder)).prepareContinue(ref, identity('me'))
    expect(() => openRunStore(`${runsIn(folder)}/../subagents/`).prepareContinue(ref, identity('me'))).toThrow('is in use')
    if (first._tag === 'Right') first.right.release()
    expect(openRunStore(runsIn(folder)).prepareContinue(ref, identity('me'))._tag).toBe('Right')
  })

  it('admission: a transcript without metadata is in use too', () => {
    const ref = savedRun(store, 'me')
    rmSync(metaFile(folder, ref))
    const repeating = openRunStore(runsIn(folder), { newRef: () => ref, locks: createLocks() })
    expect(() => repeating.prepareFresh(identity('me'))).toThrow(`"${ref}" is in use`)
    expect(readFileSync(transcriptFile(folder, ref))).toEqual(Buffer.from(TRANSCRIPT))
  })

  it('admission: a clock that fails leaves no lock', () => {
    const locks = createLocks()
    const now = (): string => {
      throw new MergelawError('usage', 'no clock')
    }
    const clockless = openRunStore(runsIn(folder), { locks, now, newRef: () => 'sa_new' })
    expect(() => clockless.prepareFresh(identity('me'))).toThrow('no clock')
    expect(locks.isTaken(runsIn(folder), 'sa_new')).toBe(false)
  })

  it('admission: a reference that is in use is never given to a new run', () => {
    const ref = savedRun(store, 'me')
    const repeating = openRunStore(runsIn(folder), { newRef: () => ref, locks: createLocks() })
    expect(() => repeating.prepareFresh(identity('me'))).toThrow(`"${ref}" is in use`)
    expect(() => repeating.prepareCopy(ref, identity('me'))).toThrow(`"${ref}" is in use`)
    expect(repeating.prepareContinue(ref, identity('me'))._tag).toBe('Right')
  })

  it('admission: an empty path is no directory', () => {
    expect(() => openRunStore('')).toThrow('needs a directory')
  })
})

/** Text that JSON.parse and JSON.stringify would not give back, and names that mean something to a careless program. */
const UNKNOWN = [
  '"capsule": {"big": 12345678901234567890, "exact": 1.0, "tiny": -0, "huge": 1e400, "list": [[], {}, [1.50]]}',
  '"isLosslessNumber": true',
  '"nested": {"isLosslessNumber": true, "value": "1"}',
  '"__proto__": {"status": "completed", "kind": "other"}',
  '"constructor": null',
  '"toJSON": "no"',
  '"7": "a number as a name"',
  '"lone": "\\ud800", "nul": "\\u0000", "line": "\\u2028", "": "", "é": "ﬁ"',
].join(',\n ')

const withUnknown = (ref: string): void => {
  const text = readFileSync(metaFile(folder, ref), 'utf8')
  writeFileSync(metaFile(folder, ref), text.replace(/\n\}\s*$/, `,\n ${UNKNOWN}\n}`))
}

const DIGITS = ['12345678901234567890', '"exact": 1.0', '"tiny": -0', '1e400', '1.50', '"\\ud800"']

describe('admission: unknown fields', () => {
  const writes: Record<string, (ref: string) => string> = {
    markRunning: (ref) => {
      store.markRunning(continued(ref))
      return ref
    },
    saveCompleted: (ref) => {
      store.saveCompleted(continued(ref), 'x')
      return ref
    },
    saveCancelled: (ref) => {
      store.saveCancelled(continued(ref), 'x')
      return ref
    },
    saveFailed: (ref) => {
      store.saveFailed(continued(ref), 'x')
      return ref
    },
    markInterrupted: (ref) => {
      writeFileSync(metaFile(folder, ref), readFileSync(metaFile(folder, ref), 'utf8').replace('"completed"', '"running"'))
      expect(store.markInterrupted(ref)).toBe(true)
      return ref
    },
    prepareCopy: (ref) => {
      return admittedRun(store.prepareCopy(ref, identity('me'))).ref
    },
  }

  it.each(Object.keys(writes))('admission: they survive %s, digit for digit', (name) => {
    const ref = savedRun(store, 'me')
    withUnknown(ref)
    const before = readMeta(folder, ref)
    const written = writes[name]?.(ref) ?? ''
    const after = readMeta(folder, written)
    const ours = { ref: written, status: after['status'], updatedAt: after['updatedAt'] }
    const copied = { forkedFrom: after['forkedFrom'], createdAt: after['createdAt'] }
    expect(after).toStrictEqual({ ...before, ...ours, ...copied })
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(Object.hasOwn(after, '__proto__')).toBe(true)
    const text = readFileSync(metaFile(folder, written), 'utf8')
    for (const digits of DIGITS) expect(text).toContain(digits)
    expect(store.load(written).meta.kind).toBe('task')
  })

  it('admission: a status that only a prototype has is missing', () => {
    const ref = savedRun(store, 'me')
    const text = readFileSync(metaFile(folder, ref), 'utf8').replace(
      '"status": "completed"',
      '"__proto__": {"status": "completed"}',
    )
    writeFileSync(metaFile(folder, ref), text)
    const result = store.prepareContinue(ref, identity('me'))
    expect(result).toMatchObject({ _tag: 'Left', left: { code: 'status-missing', found: null } })
  })

  it('admission: every status is loaded for diagnosis, as it is', () => {
    const ref = savedRun(store, 'me')
    for (const status of ['paused', '', null, 7, ['completed'], { a: 1 }]) {
      alter(folder, ref, { status, later: 'version' })
      expect(store.load(ref).meta).toMatchObject({ status, later: 'version' })
      expect(store.list('me').runs.map(({ meta }) => meta.status)).toEqual([status])
    }
  })
})
