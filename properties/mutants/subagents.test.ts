/** Every planted mistake in the first contract is caught, within a bounded number of runs, by the property that guards it. */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { frameHistory } from '../arbitraries/frames.ts'
import { runsToFind } from '../oracle/check.ts'
import { openSqlite } from '../oracle/databases.ts'
import { assertFramesAgree } from '../oracle/frames-agree.ts'
import { type Player, writerPlayer } from '../oracle/players.ts'
import { measured } from './runs.ts'
import { SUBAGENT_MUTANTS } from './subagents.ts'

/** Fixed: the same histories for every mutant, in every run of the suite. */
const SEED = 20_260_803

const property = (player: Player) => fc.asyncProperty(frameHistory(), (history) => assertFramesAgree(history, [player]))

const { limitOf, mutants: known, record } = measured('subagents')

describe('mutants of the first contract on SQLite', () => {
  const database = openSqlite()
  afterAll(database.close)

  it('AC-14: what is not mutated passes the same runs', async () => {
    const { found, report } = await runsToFind(property(await writerPlayer(database)), { seed: SEED, numRuns: 300 })
    expect(found, report).toBeUndefined()
  })

  it.each(SUBAGENT_MUTANTS.map((mutant) => [`${mutant.breaks}: ${mutant.name}`, mutant] as const))('%s', async (_, mutant) => {
    const { name, plant, assertPlanted } = mutant
    const player = await writerPlayer(database, plant)
    const { found, report } = await runsToFind(property(player), { seed: SEED, numRuns: limitOf(name) })
    assertPlanted()
    expect(found, `"${name}" survived`).toBeDefined()
    expect(report).toMatch(/First column that differs|One of them has a row more|counts \w+ = /)
    record(name, found ?? 0)
  })

  it('AC-14: every mutant is measured, and no measurement is of a mutant that is gone', () => {
    expect([...known()].sort()).toEqual(SUBAGENT_MUTANTS.map(({ name }) => name).sort())
  })
})
