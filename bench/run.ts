import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Case, Group } from './groups.ts'
import type { Measured } from './measure.ts'

/** What a case came to. */
export interface Result {
  readonly name: string
  /** Per second where the unit is frames, seconds or KB otherwise. */
  readonly ours: number | null
  readonly theirs: number | null
  readonly ratio: number | null
  readonly floor: number
  readonly ok: boolean
  /** Why there are no numbers. */
  readonly why?: string
}

const ROOT = join(import.meta.dirname, '..')
const TRIAL = join(ROOT, '.bench/bench/trial.js')

/** Trials run as plain JavaScript: what a loader for TypeScript adds to every function would be measured too. */
export const compile = (): void => {
  const { status, stdout } = spawnSync('npx', ['--no-install', 'tsc', '-p', 'bench/tsconfig.json'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the benchmarks do not compile:\n${stdout}`)
}

/** One side in a process of its own. */
const trial = (group: string, side: string, env: NodeJS.ProcessEnv): Promise<Measured> =>
  new Promise((resolve, reject) => {
    const args = ['--expose-gc', TRIAL, group, side]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd: ROOT })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (part: Buffer) => out.push(part))
    child.stderr.on('data', (part: Buffer) => err.push(part))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(out).toString()))
      else reject(new Error(`${group}, ${side}: ${reasonIn(Buffer.concat(err).toString())}`))
    })
  })

/** The line of a crash that says what was wrong. */
const reasonIn = (stderr: string): string =>
  stderr.split('\n').find((line) => /Error\b.*:/.test(line)) ?? stderr.trim().slice(-300)

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Runs all sides of a group, interleaved, `rounds` times, and compares their medians. */
export const runGroup = async (
  name: string,
  group: Group,
  { rounds, env, onTrial }: { rounds: number; env: NodeJS.ProcessEnv; onTrial: (side: string) => void },
): Promise<readonly Result[]> => {
  try {
    if (group.before !== undefined) await trial(name, 'before', env)
    const taken: Record<string, number[]> = {}
    for (let round = 0; round < rounds; round++) {
      for (const side of Object.keys(group.sides)) {
        onTrial(side)
        const { seconds, amount } = await trial(name, side, env)
        taken[side] = [...(taken[side] ?? []), seconds / amount]
      }
    }
    return group.cases.map((one) => compare(one, group.unit, median(taken[one.ours] ?? []), median(taken[one.theirs] ?? [])))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return group.cases.map(({ name: title, floor }) => ({
      name: title,
      ours: null,
      theirs: null,
      ratio: null,
      floor,
      ok: false,
      why,
    }))
  }
}

const compare = ({ name, kind, floor }: Case, unit: string, ours: number, theirs: number): Result => {
  const ratio = kind === 'times' ? ours / theirs : theirs / ours
  const shown = (cost: number): number => (unit === 'frames/s' ? Math.round(1 / cost) : Number(cost.toPrecision(4)))
  const ok = kind === 'shown' || (kind === 'times' ? ratio <= floor : ratio >= floor)
  return { name, ours: shown(ours), theirs: shown(theirs), ratio: Number(ratio.toPrecision(3)), floor, ok }
}
