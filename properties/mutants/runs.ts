/** How many runs each mutant needed when it was planted, kept beside the mutants; MERGELAW_RECORD_MUTANTS=1 measures them anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const isRecording = process.env['MERGELAW_RECORD_MUTANTS'] === '1'

/** A mutant nobody has measured yet gets this many runs; so does every one while they are measured. */
const UNMEASURED = 2_000

export interface Measured {
  /** Ten times what it took and some, since other arbitraries draw other histories; past that the suite has become blind to it. */
  readonly limitOf: (mutant: string) => number
  /** Notes how many runs it took, when that is asked for. */
  readonly record: (mutant: string, runs: number) => void
  readonly mutants: () => readonly string[]
}

/** The measurements of one list of mutants: `runs/<list>.json`. */
export const measured = (list: 'engine' | 'subagents' | 'backfill' | 'activation'): Measured => {
  const file = join(import.meta.dirname, 'runs', `${list}.json`)
  const recorded: Record<string, number> = JSON.parse(readFileSync(file, 'utf8'))
  return {
    limitOf: (mutant) => {
      const runs = recorded[mutant]
      return runs === undefined || isRecording ? UNMEASURED : 50 + 10 * runs
    },
    record: (mutant, runs) => {
      if (!isRecording) return
      recorded[mutant] = runs
      writeFileSync(file, `${JSON.stringify(recorded, Object.keys(recorded).sort(), 2)}\n`)
    },
    mutants: () => Object.keys(recorded),
  }
}
