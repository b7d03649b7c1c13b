import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/admission/file-store.ts'
import { createLocks, type Expectation, MergelawError, openRunStore, type RunStore } from '../../src/admission/index.ts'
import { LARGEST_META } from '../../src/admission/records.ts'
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
} from '../support/admission/stores.ts'

afterAll(removeFolders)

let folder: string
let store: RunStore

beforeEach(() => {
  ;({ folder, store } = newStore())
})

const errorOf = (call: () => unknown): MergelawError => {
  try {
    call()
  } catch (error) {
    if (error instanceof MergelawError) return error
    throw error
  }
  return expect.unreachable('nothing was thrown')
}

const BAD_REFS = [
  '',
  'sa_',
  'x',
  '../sa_x',
  'sa_../../etc/passwd',
  'sa_x/../y',
  'sa_x\\y',
  '/etc/passwd',
  'sa_x\u0000',
  'sa_x\n',
  'sa_x.meta',
  'sa_x y',
  'sa_é',
  'sa_ｘ',
  'SA_x',
  ' sa_x',
  'CON',
  `sa_${'x'.repeat(300)}`,
  `sa_${'x'.repeat(5_000_000)}`,
]
const NO_TEXT: readonly unknown[] = [null, undefined, 7, {}, ['sa_x'], { toString: () => 'sa_x' }, Symbol('sa_x'), 1n]

const BAD_SESSIONS = [
  '',
  '.',
  '..',
  '../root',
  'a/b',
  'a\\b',
  '/abs',
  'C:',
  'a:b',
  'nul\u0000',
  'line\n',
  'CON',
  'con',
  'aux.txt',
  'LPT1',
  'dot.',
  'space ',
  'a*',
  '\ud800',
  'x'.repeat(300),
  'é'.repeat(150),
]

describe('admission: hostile names', () => {
  it('admission: nothing is looked up, locked or written for what is not a reference', () => {
    const touched: string[] = []
    const read = (path: string): Uint8Array | null => {
      touched.push(path)
      return null
    }
    const spied = openRunStore(runsIn(folder), { locks: createLocks(), files: { ...nodeFiles, read } })
    // The types forbid half of these; a JavaScript caller does not know.
    for (const ref of [...BAD_REFS, ...NO_TEXT] as string[]) {
      const calls = [
        () => spied.load(ref),
        () => spied.markInterrupted(ref),
        () => spied.prepareContinue(ref, identity('me')),
        () => spied.prepareCopy(ref, identity('me')),
        () => spied.prepareFromAncestor(ref, identity('me')),
        () => spied.prepareLegacyFork(ref, identity('me')),
        () => spied.prepareReuse(ref, identity('me')),
      ]
      for (const call of calls) expect(errorOf(call)).toMatchObject({ code: 'usage' })
      expect(errorOf(() => spied.load(ref)).message.length).toBeLessThan(400)
    }
    expect(touched).toEqual([])
    expect(hashes(folder)).toEqual({})
  })

  it('admission: what is not a bare session name is refused wherever it comes in', () => {
    const ref = savedRun(store, 'me')
    const before = hashes(folder)
    for (const session of [...BAD_SESSIONS, ...NO_TEXT.filter((value) => value !== undefined)] as string[]) {
      expect(errorOf(() => store.list(session)).code).toBe('usage')
      expect(errorOf(() => store.prepareFresh(identity(session))).code).toBe('usage')
      expect(errorOf(() => store.prepareCopy(ref, identity(session))).code).toBe('usage')
    }
    expect(hashes(folder)).toEqual(before)
  })

  it('admission: an unusual but harmless session name works', () => {
    for (const session of ['2026-08-03_a', 'sitzung-ä', '会话', 'a b', 'x'.repeat(200), '.hidden', 'console']) {
      const ref = savedRun(store, session)
      expect(store.prepareContinue(ref, identity(session))._tag).toBe('Right')
    }
  })

  it('admission: a hostile owner or source on disk is compared, never followed', () => {
    const ref = savedRun(store, 'me')
    for (const parentSession of BAD_SESSIONS) {
      alter(folder, ref, { parentSession, forkedFrom: parentSession })
      const result = store.prepareContinue(ref, identity('me'))
      expect(result).toMatchObject({ _tag: 'Left', left: { code: 'owner', found: parentSession } })
    }
  })

  it('admission: an incomplete expectation is refused, naming the field; anything else in it is ignored', () => {
    const ref = savedRun(store, 'me')
    for (const field of Object.keys(identity('me'))) {
      const { [field as keyof Expectation]: _, ...rest } = identity('me')
      expect(errorOf(() => store.prepareContinue(ref, rest as Expectation)).message).toContain(`"${field}" must be`)
    }
    for (const wrong of [null, undefined, [], 'x', 7] as unknown as Expectation[])
      expect(errorOf(() => store.prepareContinue(ref, wrong)).code).toBe('usage')
    expect(errorOf(() => store.prepareContinue(ref, identity('me'), { parentToolCallId: 7 as unknown as string })).code).toBe(
      'usage',
    )
    const more = { ...identity('me'), status: 'failed', ref: 'other', extra: 1 }
    expect(store.prepareContinue(ref, more)._tag).toBe('Right')
  })
})

/** Metadata that cannot be taken for a record; `REF` stands for its reference. */
const MALFORMED: Readonly<Record<string, string | Uint8Array | ((ref: string) => Uint8Array)>> = {
  'an empty file': '',
  'cut off': '{"ref":"REF","status":"completed"',
  'a list': '[{"ref":"REF"}]',
  'a text': '"REF"',
  null: 'null',
  'a number': '7',
  'not UTF-8': (ref) => Buffer.from(`{"ref":"${ref}","status":"completed","name":"\xff"}`, 'latin1'),
  'UTF-16': Buffer.from('{"ref":"REF"}', 'utf16le'),
  'JSON with a comment': '{"ref":"REF"} // fine',
  'two documents': '{"ref":"REF"}{"ref":"REF"}',
  'a key twice, differently': '{"ref":"REF","status":"failed","status":"completed"}',
  'a nested key twice': '{"ref":"REF","capsule":{"a":1,"a":2}}',
  'no reference': '{"status":"completed"}',
  'the reference of another': '{"ref":"sa_other","status":"completed"}',
  'a reference in another case': '{"ref":"SA_X","status":"completed"}',
  'a kind that is a number': '{"ref":"REF","status":"completed","kind":7}',
  'a scope that is a text': '{"ref":"REF","status":"completed","toolScope":"read"}',
  'a scope with a number': '{"ref":"REF","status":"completed","toolScope":["read",7]}',
  'an owner that is a list': '{"ref":"REF","status":"completed","parentSession":["me"]}',
  'nested too deeply': `{"ref":"REF","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  'far too long': `{"ref":"REF","x":"${'x'.repeat(LARGEST_META)}"}`,
}

const bytesFor = (content: (typeof MALFORMED)[string], ref: string): string | Uint8Array => {
  if (typeof content === 'function') return content(ref)
  return typeof content === 'string' ? content.replace('REF', ref) : content
}

describe('admission: malformed metadata', () => {
  it.each(Object.keys(MALFORMED))(
    'admission: %s is an error that names the file, and does not hide the other records',
    (name) => {
      const good = savedRun(store, 'me')
      const bad = savedRun(store, 'me')
      const content = MALFORMED[name] ?? ''
      writeFileSync(metaFile(folder, bad), bytesFor(content, bad))
      const before = hashes(folder)
      const error = errorOf(() => store.load(bad))
      expect([error.code, error.message.includes(metaFile(folder, bad))]).toEqual(['malformed-metadata', true])
      expect(error.message).not.toMatch(/[\n\r]/)
      expect(errorOf(() => store.prepareContinue(bad, identity('me'))).code).toBe('malformed-metadata')
      expect(errorOf(() => store.prepareCopy(bad, identity('me'))).code).toBe('malformed-metadata')
      expect(errorOf(() => store.markInterrupted(bad)).code).toBe('malformed-metadata')
      const { runs, malformed } = store.list('me')
      expect([runs.map(({ ref }) => ref), malformed.map(({ code }) => code)]).toEqual([[good], ['malformed-metadata']])
      expect(hashes(folder)).toEqual(before)
    },
  )

  it('admission: a record that was damaged while it was prepared is not overwritten', () => {
    const ref = savedRun(store, 'me')
    const run = admittedRun(store.prepareContinue(ref, identity('me')))
    writeFileSync(metaFile(folder, ref), '{')
    const before = hashes(folder)
    expect(errorOf(() => store.saveCompleted(run, 'new')).code).toBe('malformed-metadata')
    rmSync(metaFile(folder, ref))
    expect(errorOf(() => store.saveCompleted(run, 'new')).code).toBe('not-found')
    writeFileSync(metaFile(folder, ref), '{')
    expect(hashes(folder)).toEqual(before)
  })

  it('admission: a byte order mark and any spacing are no damage', () => {
    const ref = savedRun(store, 'me')
    writeFileSync(metaFile(folder, ref), `\uFEFF\r\n\t${JSON.stringify(readMeta(folder, ref))}\n\n`)
    expect(store.prepareContinue(ref, identity('me'))._tag).toBe('Right')
  })

  it('admission: a directory in place of a record, and a wrong name, are reported beside the others', () => {
    const good = savedRun(store, 'me')
    mkdirSync(join(runsIn(folder), 'sa_dir.meta.json'))
    writeFileSync(join(runsIn(folder), 'sa_é.meta.json'), '{}')
    writeFileSync(join(runsIn(folder), 'notes.txt'), 'not ours')
    writeFileSync(join(runsIn(folder), 'sa_x.meta.json.123456'), '{}')
    const { runs, malformed } = store.list()
    expect(runs.map(({ ref }) => ref)).toEqual([good])
    expect(malformed.map(({ code }) => code)).toEqual(['malformed-metadata', 'malformed-metadata'])
  })
})

describe('admission: the disk', () => {
  it('admission: a store that is not there yet is empty; one that is no directory is an error', () => {
    expect(store.list()).toEqual({ runs: [], malformed: [] })
    expect(errorOf(() => store.load('sa_x')).code).toBe('not-found')
    writeFileSync(runsIn(folder), 'a file')
    expect(errorOf(() => store.list())).toMatchObject({ code: 'io', message: expect.stringContaining(runsIn(folder)) })
    expect(errorOf(() => store.prepareFresh(identity('me'))).code).toBe('io')
  })

  it('admission: a copy whose writing fails leaves nothing, and no lock', () => {
    const source = savedRun(store, 'me')
    for (const failing of ['.jsonl', '.meta.json']) {
      const before = hashes(folder)
      const write = (path: string, bytes: Uint8Array): void => {
        if (path.endsWith(failing)) throw new MergelawError('io', 'the disk is full')
        nodeFiles.write(path, bytes)
      }
      const locks = createLocks()
      const full = openRunStore(runsIn(folder), { locks, newRef: () => 'sa_new', files: { ...nodeFiles, write } })
      expect(errorOf(() => full.prepareCopy(source, identity('me'))).message).toBe('the disk is full')
      expect(hashes(folder)).toEqual(before)
      for (const ref of [source, 'sa_new']) expect(locks.isTaken(runsIn(folder), ref)).toBe(false)
    }
  })

  it('admission: a failed save can be made again, and until then the run is not admitted', () => {
    const ref = savedRun(store, 'me')
    let isFull = true
    const write = (path: string, bytes: Uint8Array): void => {
      if (isFull && path.endsWith('.jsonl')) throw new MergelawError('io', 'the disk is full')
      nodeFiles.write(path, bytes)
    }
    const store2 = openRunStore(runsIn(folder), { locks: createLocks(), files: { ...nodeFiles, write } })
    const run = admittedRun(store2.prepareContinue(ref, identity('me')))
    expect(errorOf(() => store2.saveCompleted(run, 'new')).code).toBe('io')
    expect(reopen(folder).prepareContinue(ref, identity('me'))).toMatchObject({ left: { code: 'status-running' } })
    isFull = false
    store2.saveCompleted(run, 'new')
    expect(reopen(folder).prepareContinue(ref, identity('me'))._tag).toBe('Right')
    expect(readdirSync(runsIn(folder))).toHaveLength(2)
  })
})
