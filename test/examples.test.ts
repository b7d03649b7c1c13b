import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const runScript = promisify(execFile)
const runTsx = (path: string) => runScript(process.execPath, ['--import', 'tsx', fromRoot(path)], { cwd: fromRoot('.') })

/** The first block of a language in the README's section of an example. */
const blockOf = (language: string): string => {
  const section = readFileSync(fromRoot('README.md'), 'utf8').split('## An example')[1] ?? ''
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(section)?.[1] ?? ''
}

it('README: the example is examples/quickstart.ts, and prints what the README says', async () => {
  expect(blockOf('ts')).toBe(readFileSync(fromRoot('examples/quickstart.ts'), 'utf8'))
  const { stdout, stderr } = await runTsx('examples/quickstart.ts')
  expect([stdout, stderr]).toEqual([blockOf('text'), ''])
})

it('demo: npm run demo prints the two tables of the spec, without colours when stdout is no terminal', async () => {
  const { stdout, stderr } = await runScript('npm', ['run', '-s', 'demo'], { cwd: fromRoot('.') })
  expect(stderr).toBe('')
  const lines = stdout.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '))
  const between = (from: string): readonly string[] => {
    const start = lines.findIndex((line) => line.startsWith(from))
    return lines.slice(start + 2, lines.indexOf('', start))
  }
  expect(between('Population')).toEqual([
    'async_launched 190 190 0 190 0 0 0',
    'completed 57 57 0 49 57 57 57',
    'started 5 0 5 0 0 0 0',
    '(absent) 1 0 0 0 0 0 0',
  ])
  expect(between('Fan-out')).toEqual(['1 65', '2 12', '3 42', '4 5', '5 2', '8 1'])
  expect(stdout).toContain('{"attempted":854,"persisted":854,')
  expect(stdout).not.toContain('\x1b')
  expect(lines).toContain('tool_status pending in_progress completed completed')
}, 60_000)
