/**
 * `npm run check`: every check of the project, one line each; `-- --skip test,properties` leaves steps out and says so.
 *
 * A step NAME is the script `check:NAME` of package.json, so each can be run alone. All run, even after one has failed.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const STEPS = ['format', 'lint', 'types', 'imports', 'unused', 'build', 'sql', 'test', 'properties'] as const

/** Steps that show their output as they go: they take long, and what they print is the point. */
const SPEAKING: ReadonlySet<string> = new Set(['test', 'properties'])

const namesIn = (text: string | undefined): ReadonlySet<string> => {
  const names = (text ?? '').split(',').filter((name) => name !== '')
  const unknown = names.find((name) => !STEPS.some((step) => step === name))
  if (unknown === undefined) return new Set(names)
  console.error(`check: there is no step "${unknown}"; the steps are ${STEPS.join(', ')}`)
  return process.exit(2)
}

const runStep = (step: string): boolean => {
  const started = performance.now()
  const isSpeaking = SPEAKING.has(step)
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', `check:${step}`], {
    stdio: isSpeaking ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const passed = status === 0
  if (!passed && !isSpeaking) process.stdout.write(`${stdout}${stderr}`)
  console.log(`${step.padEnd(10)} ${passed ? 'ok    ' : 'FAILED'} ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return passed
}

const { values } = parseArgs({ options: { skip: { type: 'string' } } })
const skipped = namesIn(values.skip)
const failed = STEPS.filter((step) => {
  if (!skipped.has(step)) return !runStep(step)
  console.log(`${step.padEnd(10)} left out (--skip)`)
  return false
})
if (failed.length > 0) console.log(`check: ${failed.join(', ')} failed`)
process.exitCode = failed.length > 0 ? 1 : 0
