/** How many runs each mutant needed when it was planted, kept beside the mutants; MERGELAW_RECORD_MUTANTS=1 measures them anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, 'runs.json')
const recorded: Record<string, number> = JSON.parse(readFileSync(FILE, 'utf8'))
const isRecording = process.env['MERGELAW_RECORD_MUTANTS'] === '1'

/** A mutant nobody has measured yet gets this many runs; so does every one while they are measured. */
const UNMEASURED = 2_000

/** Ten times what it took, since other arbitraries draw other histories; past that the suite has become blind to it. */
export const limitOf = (name: string): number => {
  const runs = recorded[name]
  return runs === undefined || isRecording ? UNMEASURED : 50 + 10 * runs
}

export const recordRuns = (name: string, runs: number): void => {
  if (!isRecording) return
  recorded[name] = runs
  writeFileSync(FILE, `${JSON.stringify(recorded, Object.keys(recorded).sort(), 2)}\n`)
}
