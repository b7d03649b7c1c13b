import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunStore } from '../../src/admission/index.ts'
import {
  admittedRun as admitted,
  alter,
  codeOf,
  finish,
  hashes,
  identity,
  metaFile,
  newFamilyStore,
  refused,
  removeFolders,
  savedRun,
} from '../support/admission/stores.ts'

afterAll(removeFolders)

let folder: string
let store: RunStore

beforeEach(() => {
  ;({ folder, store } = newFamilyStore())
})

describe('admission: the existing copy', () => {
  it('admission: the ancestor route continues the one copy of this session', () => {
    const source = savedRun(store, 'root')
    const copy = finish(store, admitted(store.prepareFromAncestor(source, identity('child'))), 'mine')
    const again = admitted(store.prepareFromAncestor(source, identity('child')))
    expect([again.ref, again.forkedFrom, Buffer.from(again.transcript).toString()]).toEqual([copy, source, 'mine'])
    again.release()
    expect(admitted(store.prepareLegacyFork(source, identity('child'))).ref).toBe(copy)
  })

  it('admission: a copy that is refused is not replaced by a second one', () => {
    const source = savedRun(store, 'root')
    const copy = finish(store, admitted(store.prepareFromAncestor(source, identity('child'))))
    alter(folder, copy, { status: 'paused' })
    const before = hashes(folder)
    expect(refused(store.prepareFromAncestor(source, identity('child')))).toMatchObject({ code: 'status-unknown', ref: copy })
    expect(hashes(folder)).toEqual(before)
  })

  it('admission: a source that is refused refuses, even where a good copy of it is at hand', () => {
    const source = savedRun(store, 'root')
    const copy = finish(store, admitted(store.prepareFromAncestor(source, identity('child'))))
    alter(folder, source, { status: 'paused' })
    expect(refused(store.prepareFromAncestor(source, identity('child')))).toMatchObject({ code: 'status-unknown', ref: source })
    // The copy itself is as good as before, under its own name.
    expect(admitted(store.prepareContinue(copy, identity('child'))).forkedFrom).toBe(source)
  })

  it('admission: two compatible copies are ambiguous; of two, the only compatible one is continued', () => {
    const source = savedRun(store, 'root')
    const one = finish(store, admitted(store.prepareCopy(source, identity('child'))))
    const two = finish(store, admitted(store.prepareCopy(source, identity('child'))))
    expect(codeOf(() => store.prepareReuse(source, identity('child')))).toBe('ambiguous')
    expect(codeOf(() => store.prepareFromAncestor(source, identity('child')))).toBe('ambiguous')
    alter(folder, one, { model: 'another' })
    expect(admitted(store.prepareReuse(source, identity('child'))).ref).toBe(two)
  })

  it('admission: the work of a session is continued even after its parent has made a copy of its own', () => {
    const source = savedRun(store, 'root')
    const mine = finish(store, admitted(store.prepareFromAncestor(source, identity('child'))), 'mine')
    finish(store, admitted(store.prepareFromAncestor(source, identity('parent'))), 'parent’s')
    for (const method of ['prepareFromAncestor', 'prepareLegacyFork', 'prepareReuse'] as const) {
      const run = admitted(store[method](source, identity('child')))
      expect([run.ref, Buffer.from(run.transcript).toString()]).toEqual([mine, 'mine'])
      run.release()
    }
    alter(folder, mine, { status: 'paused' })
    expect(refused(store.prepareFromAncestor(source, identity('child')))).toMatchObject({ code: 'status-unknown', ref: mine })
  })

  it('admission: a copy of the nearest source goes before an older one of the requested run', () => {
    const source = savedRun(store, 'root')
    finish(store, admitted(store.prepareFromAncestor(source, identity('child'))), 'older')
    const nearer = finish(store, admitted(store.prepareFromAncestor(source, identity('parent'))))
    const copy = finish(store, admitted(store.prepareCopy(nearer, identity('child'))), 'newer')
    expect(admitted(store.prepareFromAncestor(source, identity('child'))).ref).toBe(copy)
  })

  it('admission: a copy that cannot be read is a fault, and is not replaced by a second one', () => {
    const source = savedRun(store, 'root')
    const copy = finish(store, admitted(store.prepareFromAncestor(source, identity('child'))), 'mine')
    const whole = readFileSync(metaFile(folder, copy))
    writeFileSync(metaFile(folder, copy), whole.subarray(0, 50))
    const before = hashes(folder)
    for (const method of ['prepareFromAncestor', 'prepareLegacyFork', 'prepareReuse'] as const) {
      for (const _ of [1, 2]) {
        expect(codeOf(() => store[method](source, identity('child')))).toBe('malformed-metadata')
        expect(() => store[method](source, identity('child'))).toThrow(`${copy}.meta.json`)
      }
    }
    expect(hashes(folder)).toEqual(before)
    alter(folder, source, { status: 'paused' })
    expect(refused(store.prepareFromAncestor(source, identity('child'))).code).toBe('status-unknown')
    alter(folder, source, { status: 'completed' })
    writeFileSync(metaFile(folder, copy), whole)
    expect(admitted(store.prepareFromAncestor(source, identity('child'))).ref).toBe(copy)
  })

  it('admission: without a copy there is nothing to reuse', () => {
    expect(codeOf(() => store.prepareReuse(savedRun(store, 'root'), identity('child')))).toBe('not-found')
  })

  it('admission: while a first copy is being prepared, a second request is refused instead of making another', () => {
    const source = savedRun(store, 'root')
    const first = admitted(store.prepareFromAncestor(source, identity('child')))
    expect(codeOf(() => store.prepareFromAncestor(source, identity('child')))).toBe('locked')
    first.release()
    expect(admitted(store.prepareFromAncestor(source, identity('child'))).forkedFrom).toBe(source)
  })
})
