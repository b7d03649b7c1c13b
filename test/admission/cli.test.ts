import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunStore } from '../../src/admission/index.ts'
import { type Outcome, runCli, runCliMany } from '../support/admission/cli.ts'
import { SHAPES } from '../support/admission/matrix.ts'
import { alter, hashes, identity, metaFile, newStore, removeFolders, runsIn, savedRun } from '../support/admission/stores.ts'

afterAll(removeFolders)

let folder: string
let store: RunStore
let expectFile: string

beforeEach(() => {
  ;({ folder, store } = newStore())
  expectFile = join(folder, 'expect.json')
  writeFileSync(expectFile, JSON.stringify(identity('me')))
})

const check = (ref: string): string[] => ['runs', 'check', runsIn(folder), ref, '--expect', expectFile]
const nth = (outcomes: readonly Outcome[], at = 0): Outcome => {
  const outcome = outcomes[at]
  if (outcome === undefined) throw new Error(`there is no outcome ${at}`)
  return outcome
}
const KEYS = ['admitted', 'code', 'ref', 'found', 'wanted', 'advice']

describe('admission: runs check', () => {
  it('admission: it prints the right code for every status shape, one object each, and changes nothing', () => {
    const refs = SHAPES.map(({ status }) => {
      const ref = savedRun(store, 'me')
      alter(folder, ref, { status })
      return ref
    })
    const before = hashes(folder)
    const outcomes = runCliMany(refs.map(check))
    for (const [at, { name, status, code }] of SHAPES.entries()) {
      const { stdout, stderr, exitCode } = nth(outcomes, at)
      const document = JSON.parse(stdout)
      expect([name, exitCode, stderr]).toEqual([name, code === null ? 0 : 1, ''])
      expect(Object.keys(document)).toEqual(KEYS)
      expect(document).toMatchObject({ admitted: code === null, code, ref: refs[at], found: status ?? null })
      expect(stdout).toBe(`${JSON.stringify(document)}\n`)
    }
    expect(hashes(folder)).toEqual(before)
  })

  it('admission: it names the differing field with both values', () => {
    const ref = savedRun(store, 'me')
    writeFileSync(expectFile, JSON.stringify({ ...identity('me'), toolScope: ['read'], ignored: true }))
    const { stdout, exitCode } = nth(runCliMany([check(ref)]))
    expect(JSON.parse(stdout)).toMatchObject({ code: 'tool-scope', found: ['read', 'grep', 'bash'], wanted: ['read'] })
    expect(exitCode).toBe(1)
  })

  it('admission: a status is printed as it is written, and control characters are escaped', () => {
    const ref = savedRun(store, 'me')
    const whole = readFileSync(metaFile(folder, ref), 'utf8')
    const written = ['1e400', '12345678901234567890', '-0', '1.0', '[1e400,-0]', '{"a":1.50}', '"\u009b31m\u007f\u2028x"']
    for (const status of written) {
      writeFileSync(metaFile(folder, ref), whole.replace('"completed"', status))
      const [checked, listed] = runCliMany([check(ref), ['runs', 'list', runsIn(folder)]])
      const escaped = status.replace('\u009b', '\\u009b').replace('\u007f', '\\u007f').replace('\u2028', '\\u2028')
      expect(checked).toMatchObject({ stdout: expect.stringContaining(`"found":${escaped},"wanted":`), exitCode: 1 })
      expect(listed?.stdout).toContain(`"status":${escaped},"kind":`)
    }
  })

  it('admission: the expectation is read as strictly as a record', () => {
    const ref = savedRun(store, 'me')
    alter(folder, ref, { model: 'm\ufffd' })
    const text = JSON.stringify(identity('me', { model: 'm\ufffd' }))
    const wrong: [string | Uint8Array, string][] = [
      [text.replace('{', '{"model":"other",'), 'model'],
      [Buffer.from(text.replace('\ufffd', '\xff'), 'latin1'), 'it is not UTF-8'],
      ['[]', 'it holds an array where an object belongs'],
      ['null', 'it holds null where an object belongs'],
      ['', 'expect.json'],
      [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'levels deep'],
    ]
    for (const [content, why] of wrong) {
      writeFileSync(expectFile, content)
      const { stdout, stderr, exitCode } = nth(runCliMany([check(ref)]))
      expect([stdout, exitCode]).toEqual(['', 2])
      expect(stderr).toContain(`${expectFile}" is malformed: `)
      expect(stderr).toContain(why)
    }
    for (const content of [text, `\uFEFF${text}`]) {
      writeFileSync(expectFile, content)
      expect(nth(runCliMany([check(ref)]))).toMatchObject({ exitCode: 0, stderr: '' })
    }
  })

  it('admission: the exit code reaches the shell', () => {
    const ref = savedRun(store, 'me')
    expect(runCli(...check(ref))).toMatchObject({ exitCode: 0, stderr: '' })
    alter(folder, ref, { status: 'Completed' })
    expect(runCli(...check(ref))).toMatchObject({ exitCode: 1, stderr: '' })
    expect(runCli(...check('sa_none'))).toMatchObject({ exitCode: 2, stdout: '' })
  })
})

describe('admission: runs list and show', () => {
  it('admission: list prints one run a line, or one array, of all sessions or of one', () => {
    const mine = savedRun(store, 'me')
    const yours = savedRun(store, 'you')
    alter(folder, mine, { status: undefined })
    const dir = runsIn(folder)
    const [all, array, one] = runCliMany([
      ['runs', 'list', dir],
      ['runs', 'list', dir, '--json'],
      ['runs', 'list', dir, '--session', 'you'],
    ])
    const lines = all?.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines?.map(({ ref, status }) => [ref, status])).toEqual([
      [mine, null],
      [yours, 'completed'],
    ])
    expect(Object.keys(lines?.[0])).toEqual(['ref', 'status', 'kind', 'name', 'parentSession', 'updatedAt'])
    expect(JSON.parse(array?.stdout ?? '')).toEqual(lines)
    expect(JSON.parse(one?.stdout ?? '')).toMatchObject({ ref: yours, parentSession: 'you' })
    expect([all, array, one].map((outcome) => outcome?.exitCode)).toEqual([0, 0, 0])
  })

  it('admission: a malformed record is named on stderr after the others were listed, with exit code 1', () => {
    const good = savedRun(store, 'me')
    const bad = savedRun(store, 'me')
    writeFileSync(metaFile(folder, bad), '[]')
    for (const { stdout, stderr, exitCode } of runCliMany([
      ['runs', 'list', runsIn(folder)],
      ['runs', 'list', runsIn(folder), '--json'],
    ])) {
      expect(stdout).toContain(good)
      expect(stderr).toMatch(new RegExp(`^mergelaw: .*${bad}\\.meta\\.json.*\n$`))
      expect(exitCode).toBe(1)
    }
  })

  it('admission: a long path cuts neither the name of the file nor the reason', () => {
    const deep = join(folder, 'd'.repeat(90), 'e'.repeat(90), 'f'.repeat(90))
    mkdirSync(runsIn(deep), { recursive: true })
    writeFileSync(metaFile(deep, 'sa_x'), '{"ref":"sa_x","toolScope":7}')
    for (const args of [
      ['runs', 'list', runsIn(deep)],
      ['runs', 'show', runsIn(deep), 'sa_x'],
    ]) {
      const { stderr } = nth(runCliMany([args]))
      expect(stderr).toBe(`mergelaw: "${metaFile(deep, 'sa_x')}" is malformed: "toolScope" must be a list of strings, but is 7\n`)
    }
    expect(nth(runCliMany([['runs', 'show', runsIn(deep), 'sa_y']])).stderr).toContain(`${metaFile(deep, 'sa_y')}"`)
  })

  it('admission: show prints every field, numbers digit for digit, in one line', () => {
    const ref = savedRun(store, 'me')
    const text = readFileSync(metaFile(folder, ref), 'utf8').replace('{', '{"big": 12345678901234567890, "one": 1.0,')
    writeFileSync(metaFile(folder, ref), text)
    const { stdout, exitCode } = nth(runCliMany([['runs', 'show', runsIn(folder), ref]]))
    expect(stdout).toMatch(/^\{"big":12345678901234567890,"one":1\.0,"ref":.*\}\n$/)
    expect(JSON.parse(stdout)).toEqual(JSON.parse(text))
    expect(exitCode).toBe(0)
  })
})

describe('admission: wrong usage', () => {
  it('admission: it is one clear line, exit code 2, and nothing on stdout', () => {
    const ref = savedRun(store, 'me')
    const dir = runsIn(folder)
    const bad = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    writeFileSync(metaFile(folder, 'sa_bad'), '{\n"ref"\n')
    const calls = [
      ['runs', 'nonsense'],
      ['runs', 'list'],
      ['runs', 'list', join(folder, 'missing')],
      ['runs', 'list', expectFile],
      ['runs', 'list', ''],
      ['runs', 'list', dir, '--session', '../x'],
      ['runs', 'list', dir, '--nonsense'],
      ['runs', 'show', dir],
      ['runs', 'show', dir, 'sa_none'],
      ['runs', 'show', dir, '../subagents/sa_x'],
      ['runs', 'show', dir, 'sa_bad'],
      ['runs', 'check', dir, ref],
      ['runs', 'check', dir, 'line\nbreak', '--expect', expectFile],
      ['runs', 'check', dir, 'sa_bad', '--expect', expectFile],
      ['runs', 'check', dir, ref, '--expect', join(folder, 'missing.json')],
      ['runs', 'check', dir, ref, '--expect', folder],
      ['runs', 'check', dir, ref, '--expect', bad('broken.json', '{\n')],
      ['runs', 'check', dir, ref, '--expect', bad('list.json', '[]')],
      ['runs', 'check', dir, ref, '--expect', bad('partial.json', '{"kind":"task"}')],
      ['runs', 'check', dir, ref, '--expect', bad('typed.json', JSON.stringify({ ...identity('me'), toolScope: 'read' }))],
    ]
    const before = hashes(folder)
    const outcomes = runCliMany(calls)
    for (const [at, { stdout, stderr, exitCode }] of outcomes.entries()) {
      expect([calls[at], stdout, exitCode]).toEqual([calls[at], '', 2])
      expect(stderr).toMatch(/^(mergelaw|error): [^\n]{10,}\n$/)
    }
    expect(hashes(folder)).toEqual(before)
  })

  it('admission: help is no error', () => {
    const { stdout, exitCode } = nth(runCliMany([['runs', 'check', '--help']]))
    expect([stdout.includes('--expect <file>'), exitCode]).toEqual([true, 0])
  })
})
