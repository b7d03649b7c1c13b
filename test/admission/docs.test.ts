import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createLocks, openRunStore, REFUSAL_CODES } from '../../src/admission/index.ts'
import { runCliMany } from '../support/admission/cli.ts'
import { alter, finish, identity, newFolder, removeFolders, runsIn } from '../support/admission/stores.ts'

afterAll(removeFolders)

const PAGE = readFileSync(new URL('../../docs/admission.md', import.meta.url), 'utf8')

const block = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(PAGE)?.[1]
  if (found === undefined) throw new Error(`the page has no ${language} block`)
  return found
}

it('admission: the example of the page prints what the page says', () => {
  const entry = new URL('../../src/admission/index.ts', import.meta.url).href
  const script = block('ts')
    .replace("'mergelaw/admission'", JSON.stringify(entry))
    .replace('(directory)', `(${JSON.stringify(runsIn(newFolder()))})`)
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect([stdout, stderr]).toEqual([block('text'), ''])
})

it('admission: the commands of the page print what the page says', () => {
  const folder = newFolder()
  const store = openRunStore(runsIn(folder), { locks: createLocks(), newRef: () => 'sa_1' })
  finish(store, store.prepareFresh(identity('session-1')))
  alter(folder, 'sa_1', { status: 'paused', updatedAt: '2026-08-03T15:32:20.123456Z' })
  const expectation = join(folder, 'identity.json')
  writeFileSync(expectation, JSON.stringify(identity('session-1')))
  const lines = block('console').split('\n')
  const calls = lines
    .filter((line) => line.startsWith('$ mergelaw '))
    .map((line) => line.slice('$ mergelaw '.length).split(' '))
    .map((args) => args.map((arg) => arg.replace('.sessions/subagents', runsIn(folder)).replace('identity.json', expectation)))
  const outcomes = runCliMany(calls)
  const printed = outcomes.map(({ stdout }) => stdout).join('')
  expect(printed).toBe(`${lines.filter((line) => line.startsWith('{')).join('\n')}\n`)
  expect(`${outcomes.at(-1)?.exitCode}`).toBe(lines.at(-2))
})

it('admission: the page names every code', () => {
  expect(REFUSAL_CODES.filter((code) => !PAGE.includes(`\`${code}\``))).toEqual([])
})
