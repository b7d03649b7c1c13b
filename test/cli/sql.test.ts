import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { mergelaw, scratch } from '../support/cli.ts'

const { path } = scratch()
const UPSERT = 'task_session_subagents/postgres/upsert.sql'

/** A folder as `mergelaw sql` wrote it, changed by hand, and what the check says then. */
const checkAfter = async (name: string, change: (folder: string) => void) => {
  const out = path(name)
  expect((await mergelaw(['sql', '--out', out])).code).toBe(0)
  change(out)
  const [text, json] = [
    await mergelaw(['sql', '--out', out, '--check']),
    await mergelaw(['sql', '--out', out, '--check', '--json']),
  ]
  expect(text.code).toBe(json.code)
  const differences = JSON.parse(json.stdout) as readonly Readonly<Record<'path' | 'kind' | 'diff', string>>[]
  return { code: text.code, stdout: text.stdout, found: differences.map(({ path, kind }) => [path, kind]) }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const edit = (file: string, from: string | RegExp, to: string): void =>
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))

it('sql --check: a folder as written is up to date, and writing it again changes nothing', async () => {
  const { code, found } = await checkAfter('same', () => undefined)
  expect([code, found]).toEqual([0, []])
  expect(JSON.parse((await mergelaw(['sql', '--out', path('same'), '--json'])).stdout)).toMatchObject({ written: [] })
})

it('sql --check: a file edited by hand', async () => {
  const { code, stdout, found } = await checkAfter('edited', (out) => edit(`${out}/${UPSERT}`, 'COALESCE(', 'NULLIF('))
  expect([code, found]).toEqual([1, [[UPSERT, 'edited']]])
  expect(stdout).toContain('edited by hand')
  expect(stdout).toMatch(/^-.*NULLIF\(/m)
  expect(stdout).toMatch(/^\+.*COALESCE\(/m)
})

it('sql --check: a file of an older contract is stale', async () => {
  const { code, stdout, found } = await checkAfter('stale', (out) =>
    edit(`${out}/${UPSERT}`, /sha256:[0-9a-f]{64}/, `sha256:${'0'.repeat(64)}`),
  )
  expect([code, found]).toEqual([1, [[UPSERT, 'stale']]])
  expect(stdout).toContain('stale: the contract changed')
})

it('sql --check: a missing file, and a folder that is not there', async () => {
  const one = await checkAfter('missing', (out) => rmSync(`${out}/${UPSERT}`))
  expect([one.code, one.found]).toEqual([1, [[UPSERT, 'missing']]])
  expect(one.stdout).toContain('missing: ')
  const all = await checkAfter('gone', (out) => rmSync(out, { recursive: true }))
  expect([all.code, [...new Set(all.found.map(([, kind]) => kind))]]).toEqual([1, ['missing']])
})

it('sql --check: an unexpected file', async () => {
  const { code, stdout, found } = await checkAfter('unexpected', (out) => {
    mkdirSync(`${out}/other/sqlite`, { recursive: true })
    appendFileSync(`${out}/other/sqlite/upsert.sql`, 'SELECT 1;\n')
  })
  expect([code, found]).toEqual([1, [['other/sqlite/upsert.sql', 'unexpected']]])
  expect(stdout).toContain('unexpected: ')
})

it('sql --check: a manifest edited by hand', async () => {
  const { code, found } = await checkAfter('manifest', (out) => edit(`${out}/manifest.json`, 'mergelaw sql', 'somebody'))
  expect([code, found]).toEqual([1, [['manifest.json', 'edited']]])
})

it('sql --check: files of an older generator are stale, and so is their manifest', async () => {
  const { code, stdout, found } = await checkAfter('generator', (out) => {
    const before = sha256(readFileSync(`${out}/${UPSERT}`))
    edit(`${out}/${UPSERT}`, 'COALESCE(', 'IFNULL(')
    edit(`${out}/manifest.json`, before, sha256(readFileSync(`${out}/${UPSERT}`)))
  })
  expect([code, found]).toEqual([
    1,
    [
      [UPSERT, 'stale'],
      ['manifest.json', 'stale'],
    ],
  ])
  expect(stdout).toContain('stale: the generator changed')
})

// Catches: what is no file taken for a folder that is not there, for a file that is not there, or read.
it.each([
  ['a link to nothing', (at: string): void => symlinkSync('nowhere', at), 'a link to nothing stands in its place'],
  ['a link to itself', (at: string): void => symlinkSync(basename(at), at), 'a link to nothing stands in its place'],
  ['a link to a folder', (at: string): void => symlinkSync('.', at), 'a link to a folder stands in its place'],
  ['a folder', (at: string): void => mkdirSync(at), 'a folder stands in its place'],
  ['a pipe', (at: string): void => void execFileSync('mkfifo', [at]), 'a special file stands in its place'],
] as const)(
  'sql --check: %s in place of a file is edited by hand, elsewhere unexpected, and no file waits for it',
  async (name, make, said) => {
    const { code, stdout, found } = await checkAfter(name, (out) => {
      rmSync(`${out}/${UPSERT}`)
      make(`${out}/${UPSERT}`)
      make(`${out}/more`)
    })
    const unexpected = name === 'a folder' ? [] : [['more', 'unexpected']]
    expect([code, found]).toEqual([1, [[UPSERT, 'edited'], ...unexpected]])
    expect(stdout).toContain(`edited by hand: ${said}`)
    // A link to nothing is written through; what can hold no file is refused.
    if (name === 'a link to nothing') return
    const written = await mergelaw(['sql', '--out', path(name)])
    expect([written.code, written.stdout]).toEqual([2, ''])
    expect(written.stderr).toMatch(/^mergelaw: could not write .*(what stands there is no file; remove it|ELOOP: .*)\n$/)
  },
)

it('sql --check: a link to a file is that file', async () => {
  const { code, found } = await checkAfter('link', (out) => {
    renameSync(`${out}/${UPSERT}`, path('elsewhere.sql'))
    symlinkSync(path('elsewhere.sql'), `${out}/${UPSERT}`)
  })
  expect([code, found]).toEqual([0, []])
})

it.each(['{}', '', '[]', '{"contracts":5}'])('sql --check: a manifest replaced by %j is edited by hand', async (text) => {
  const name = `manifest of ${Buffer.from(text).toString('hex')}`
  const { code, found } = await checkAfter(name, (out) => writeFileSync(`${out}/manifest.json`, text))
  expect([code, found]).toEqual([1, [['manifest.json', 'edited']]])
})

// Catches: `mkdir` with `recursive`, which never ends there; a folder below a file.
it.each(['/proc/mergelaw/sql', '/dev/null/sql', '/dev/null'])('sql: %s takes no files: exit 2, one line', async (out) => {
  const { code, stdout, stderr } = await mergelaw(['sql', '--out', out])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^mergelaw: could not (write|read) .*\n$/)
})

it('sql: folders above the one that is asked for are made', async () => {
  expect((await mergelaw(['sql', '--out', path('a/b/c')])).code).toBe(0)
  expect((await mergelaw(['sql', '--out', path('a/b/c'), '--check'])).code).toBe(0)
})
