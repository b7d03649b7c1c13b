import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunStore } from '../../src/admission/index.ts'
import {
  admittedRun as admitted,
  alter,
  codeOf,
  finish,
  hashes,
  identity,
  newFamilyStore,
  readMeta,
  refused,
  removeFolders,
  runsIn,
  savedRun,
  transcriptFile,
  writeBranch,
} from '../support/admission/stores.ts'

afterAll(removeFolders)

let folder: string
let store: RunStore

beforeEach(() => {
  ;({ folder, store } = newFamilyStore())
})

describe('admission: copies', () => {
  it('admission: a copy has the transcript of its source, names it, and belongs to the copying session', () => {
    const source = savedRun(store, 'parent')
    const before = readMeta(folder, source)
    const copy = admitted(store.prepareCopy(source, identity('child'), { parentToolCallId: 'call_1' }))
    const meta = readMeta(folder, copy.ref)
    expect(meta).toMatchObject({ status: 'running', forkedFrom: source, parentSession: 'child', parentToolCallId: 'call_1' })
    expect(meta['ref']).toBe(copy.ref)
    expect(readMeta(folder, source)).toEqual(before)
    finish(store, copy, 'more')
    expect(admitted(store.prepareContinue(copy.ref, identity('child'))).forkedFrom).toBe(source)
  })

  it('admission: a session may copy its own run', () => {
    const source = savedRun(store, 'child')
    expect(admitted(store.prepareCopy(source, identity('child'))).forkedFrom).toBe(source)
  })

  it('admission: a copy that was released without having run leaves nothing behind', () => {
    const source = savedRun(store, 'parent')
    const before = hashes(folder)
    const copy = admitted(store.prepareCopy(source, identity('child')))
    expect(Object.keys(hashes(folder))).toHaveLength(Object.keys(before).length + 2)
    copy.release()
    copy.release()
    expect(hashes(folder)).toEqual(before)
  })

  it('admission: a copy that has run is kept by its release', () => {
    const source = savedRun(store, 'parent')
    const copy = admitted(store.prepareCopy(source, identity('child')))
    store.markRunning(copy)
    copy.release()
    expect(store.load(copy.ref).meta.status).toBe('running')
  })

  it('admission: a descendant may not take a run of a session that is no ancestor', () => {
    const childs = savedRun(store, 'child')
    expect(refused(store.prepareCopy(childs, identity('parent')))).toMatchObject({
      code: 'owner',
      found: 'child',
      wanted: 'parent',
    })
    expect(refused(store.prepareFromAncestor(childs, identity('parent'))).code).toBe('owner')
  })
})

describe('admission: the lineage', () => {
  const breakages: Record<string, () => void> = {
    'a missing branch file of the session itself': () => rmSync(join(folder, 'child.branch.json')),
    'a missing branch file further up': () => rmSync(join(folder, 'root.branch.json')),
    'a cycle': () => writeBranch(folder, 'root', 'child'),
    'a session that is its own parent': () => writeBranch(folder, 'child', 'child'),
    'a branch file that names another session': () =>
      writeFileSync(join(folder, 'parent.branch.json'), JSON.stringify({ id: 'Parent', parentSession: 'root' })),
    'a parent that leaves the folder': () => writeBranch(folder, 'parent', '../root'),
    'a branch file that is not JSON': () => writeFileSync(join(folder, 'parent.branch.json'), '{'),
    'a branch file that is a list': () => writeFileSync(join(folder, 'parent.branch.json'), '[]'),
    'a branch file without an id': () => writeFileSync(join(folder, 'parent.branch.json'), '{"parentSession":"root"}'),
    'a parent that is not text': () => writeFileSync(join(folder, 'parent.branch.json'), '{"id":"parent","parentSession":7}'),
  }

  it.each(Object.keys(breakages))('admission: %s is refused, with every byte and lock as it was', (name) => {
    const source = savedRun(store, 'root')
    breakages[name]?.()
    const before = hashes(folder)
    for (const method of ['prepareCopy', 'prepareFromAncestor', 'prepareLegacyFork'] as const) {
      expect(codeOf(() => store[method](source, identity('child')))).toBe('lineage')
      expect(codeOf(() => store[method](source, identity('child')))).toBe('lineage')
    }
    expect(hashes(folder)).toEqual(before)
    alter(folder, source, { status: 'paused' })
    for (const method of ['prepareCopy', 'prepareFromAncestor', 'prepareLegacyFork'] as const)
      expect(refused(store[method](source, identity('child'))).code).toBe('status-unknown')
    alter(folder, source, { status: 'completed' })
    expect(admitted(store.prepareContinue(source, identity('root'))).ref).toBe(source)
  })

  it('admission: the nearest source is continued: a parent’s copy before the grandparent’s run', () => {
    const old = savedRun(store, 'root', 'old')
    const nearer = finish(store, admitted(store.prepareCopy(old, identity('parent'))), 'newer')
    const run = admitted(store.prepareFromAncestor(old, identity('child')))
    expect(run.forkedFrom).toBe(nearer)
    expect(Buffer.from(run.transcript).toString()).toBe('newer')
  })

  it('admission: two sources in one ancestor are ambiguous, and both are named', () => {
    const old = savedRun(store, 'root')
    const first = finish(store, admitted(store.prepareCopy(old, identity('parent'))))
    const second = finish(store, admitted(store.prepareCopy(old, identity('parent'))))
    const before = hashes(folder)
    expect(() => store.prepareFromAncestor(old, identity('child'))).toThrow(new RegExp(`${first}, ${second}|${second}, ${first}`))
    expect(codeOf(() => store.prepareFromAncestor(old, identity('child')))).toBe('ambiguous')
    expect(hashes(folder)).toEqual(before)
  })

  it('admission: of two sources in one ancestor only the admitted one counts; without any, the status is the answer', () => {
    const old = savedRun(store, 'root')
    const first = finish(store, admitted(store.prepareCopy(old, identity('parent'))))
    const second = finish(store, admitted(store.prepareCopy(old, identity('parent'))))
    alter(folder, first, { status: 'failed' })
    const run = admitted(store.prepareFromAncestor(old, identity('child')))
    expect(run.forkedFrom).toBe(second)
    run.release()
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      alter(folder, one, { status: 'paused' })
      alter(folder, other, { status: 'completed', model: 'another' })
      const before = hashes(folder)
      for (const method of ['prepareFromAncestor', 'prepareLegacyFork'] as const)
        expect(refused(store[method](old, identity('child')))).toMatchObject({ code: 'status-unknown', ref: one })
      expect(hashes(folder)).toEqual(before)
      alter(folder, other, { model: 'deepseek-chat' })
    }
  })

  it('admission: a source is found over copies that other sessions made', () => {
    writeBranch(folder, 'grandchild', 'child')
    const old = savedRun(store, 'root')
    const middle = finish(store, admitted(store.prepareCopy(old, identity('parent'))))
    const nearest = finish(store, admitted(store.prepareCopy(middle, identity('child'))))
    expect(admitted(store.prepareFromAncestor(old, identity('grandchild'))).forkedFrom).toBe(nearest)
  })

  it('admission: a circular chain of copies is no proof, and ends', () => {
    const asked = savedRun(store, 'root')
    const one = savedRun(store, 'parent')
    const two = savedRun(store, 'parent')
    alter(folder, one, { forkedFrom: two })
    alter(folder, two, { forkedFrom: one })
    expect(admitted(store.prepareFromAncestor(asked, identity('child'))).forkedFrom).toBe(asked)
  })

  it('admission: continuing from an ancestor inside the owning session is an error with advice', () => {
    const own = savedRun(store, 'child')
    expect(() => store.prepareFromAncestor(own, identity('child'))).toThrow('continue it in place')
  })

  it('admission: a legacy fork inside the owning session is refused with advice, the status first', () => {
    const own = savedRun(store, 'child')
    const before = hashes(folder)
    expect(refused(store.prepareLegacyFork(own, identity('child')))).toMatchObject({ code: 'owner', found: 'child' })
    expect(refused(store.prepareLegacyFork(own, identity('child'))).advice).toContain('Continue it in place')
    expect(hashes(folder)).toEqual(before)
    // Another model does not matter where a fork is not made at all: the advice does.
    expect(refused(store.prepareLegacyFork(own, identity('child', { model: 'x' })))).toMatchObject({ code: 'owner' })
    alter(folder, own, { status: 'paused' })
    expect(refused(store.prepareLegacyFork(own, identity('child'))).code).toBe('status-unknown')
  })
})

describe('admission: locks', () => {
  it('admission: a run is held by one caller, in every store of the process, until it is released', () => {
    const ref = savedRun(store, 'child')
    const run = admitted(store.prepareContinue(ref, identity('child')))
    expect(codeOf(() => store.prepareContinue(ref, identity('child')))).toBe('locked')
    expect(codeOf(() => store.prepareCopy(ref, identity('child')))).toBe('locked')
    expect(codeOf(() => store.markInterrupted(ref))).toBe('locked')
    run.release()
    const next = admitted(store.prepareContinue(ref, identity('child')))
    // Idempotent: the second release of the first holder must not free the lock of the next one.
    run.release()
    expect(codeOf(() => store.prepareContinue(ref, identity('child')))).toBe('locked')
    next.release()
  })

  it('admission: a run without its transcript is an error, and its lock is free again', () => {
    const ref = savedRun(store, 'parent')
    rmSync(transcriptFile(folder, ref))
    const before = hashes(folder)
    for (const [method, session] of [
      ['prepareContinue', 'parent'],
      ['prepareCopy', 'child'],
      ['prepareFromAncestor', 'child'],
    ] as const) {
      expect(codeOf(() => store[method](ref, identity(session)))).toBe('not-found')
      expect(codeOf(() => store[method](ref, identity(session)))).toBe('not-found')
    }
    expect(hashes(folder)).toEqual(before)
    expect(runsIn(folder)).toContain(folder)
  })
})
