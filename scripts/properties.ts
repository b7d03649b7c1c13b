/** `npm run properties -- --runs N --seed S [FILE…]`: the property suite alone, N runs per property, from seed S. */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { runs, seedOf } from '../test/support/seed.ts'

const USAGE = 'usage: npm run properties -- [--runs N] [--seed S] [FILE…]'

const environmentOf = (args: readonly string[]): { files: readonly string[]; env: NodeJS.ProcessEnv } => {
  const options = { runs: { type: 'string' }, seed: { type: 'string' } } as const
  // parseArgs takes "-7" for an option of its own: a negative seed is joined to its name.
  const joined = args
    .join('\0')
    .replace(/--seed\0-/g, '--seed=-')
    .split('\0')
  const { values, positionals } = parseArgs({ args: joined.filter((arg) => arg !== ''), options, allowPositionals: true })
  const env = { ...process.env }
  if (values.runs !== undefined) env['MERGELAW_RUNS'] = values.runs
  if (values.seed !== undefined) env['MERGELAW_SEED'] = values.seed
  runs(1, env)
  seedOf(env)
  return { files: positionals, env }
}

const main = (args: readonly string[]): number => {
  try {
    const { files, env } = environmentOf(args)
    const vitest = ['run', '--exclude', 'test/**', ...files]
    return spawnSync('npx', ['--no-install', 'vitest', ...vitest], { stdio: 'inherit', env }).status ?? 1
  } catch (error) {
    console.error(`properties: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    return 2
  }
}

process.exitCode = main(process.argv.slice(2))
