/** Runs the `runs` verbs in a process of their own, over a program that holds nothing else. */
import { spawnSync } from 'node:child_process'

/** What a verb printed, and the code it left. */
export type Outcome = Readonly<{ stdout: string; stderr: string; exitCode: number | null }>

const RUNS = new URL('../../../src/cli/runs.ts', import.meta.url).href

/** The smallest main: it parses, and takes the exit code of commander's own errors. */
const PROGRAM = `
  import { Command, CommanderError } from 'commander'
  import { registerRuns } from ${JSON.stringify(RUNS)}
  const main = (args) => {
    const program = new Command('mergelaw').exitOverride()
    registerRuns(program)
    try {
      program.parse(args, { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      process.exitCode = error.exitCode
    }
  }
`

const ONCE = `${PROGRAM}
  main(process.argv.slice(1))
`

/** Many calls in one process: starting one takes longer than everything it does. */
const MANY = `${PROGRAM}
  const write = process.stdout.write.bind(process.stdout)
  const outcomes = JSON.parse(process.argv[1]).map((args) => {
    const outcome = { stdout: '', stderr: '', exitCode: null }
    process.stdout.write = (text) => ((outcome.stdout += text), true)
    process.stderr.write = (text) => ((outcome.stderr += text), true)
    process.exitCode = undefined
    main(args)
    return { ...outcome, exitCode: process.exitCode ?? null }
  })
  process.exitCode = 0
  write(JSON.stringify(outcomes))
`

const node = (script: string, args: readonly string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, '--', ...args], { encoding: 'utf8' })

/** One call, as a shell would see it. */
export function runCli(...args: readonly string[]): Outcome {
  const { stdout, stderr, status } = node(ONCE, args)
  return { stdout, stderr, exitCode: status }
}

/** Several calls, one after the other. */
export function runCliMany(calls: readonly (readonly string[])[]): readonly Outcome[] {
  const { stdout, stderr, status } = node(MANY, [JSON.stringify(calls)])
  if (status !== 0) throw new Error(`the driver failed: ${stderr}`)
  return JSON.parse(stdout)
}
