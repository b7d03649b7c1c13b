/** The mistakes that live in SQL, planted on PostgreSQL too: one of each kind, since the columns of a rule share its lowering. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { frameHistory } from '../arbitraries/frames.ts'
import { runsToFind } from '../oracle/check.ts'
import { type LiveDatabase, openPostgres } from '../oracle/databases.ts'
import { assertFramesAgree } from '../oracle/frames-agree.ts'
import { writerPlayer } from '../oracle/players.ts'
import { measured } from './runs.ts'
import { SUBAGENT_MUTANTS } from './subagents.ts'

const SEED = 20_260_803
const REPEATED = / (?:on|in) (?!model$|total_tokens$)\w+$|duration_ms|tool_use_count/

const mutants = SUBAGENT_MUTANTS.filter(
  ({ name }) => name === 'freeze on the incoming row' || name === 'freeze on agent_status' || !REPEATED.test(name),
)

const { limitOf } = measured('subagents')

describe('mutants of the first contract on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  it.each(mutants.map((mutant) => [`${mutant.breaks}: ${mutant.name}`, mutant] as const))('%s', async (_, mutant) => {
    const { name, plant, assertPlanted } = mutant
    const newest = databases.at(-1) as LiveDatabase // the servers of a run are never none
    const player = await writerPlayer(newest, plant)
    const property = fc.asyncProperty(frameHistory(), (history) => assertFramesAgree(history, [player]))
    const { found, report } = await runsToFind(property, { seed: SEED, numRuns: limitOf(name) })
    assertPlanted()
    expect(found, `"${name}" survived`).toBeDefined()
    expect(report).toMatch(/First column that differs|One of them has a row more|counts \w+ = /)
  })
})
