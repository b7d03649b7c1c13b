/** Every planted mistake in the activation is caught, within a bounded number of installations, by the property that guards it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { activate } from '../../src/subagents/index.ts'
import { openSqliteMemory } from '../../test/support/host-database.ts'
import { installations } from '../arbitraries/activations.ts'
import { runsToFind } from '../oracle/check.ts'
import { type Play, playActivation } from '../oracle/play-activation.ts'
import { ACTIVATION_MUTANTS } from './activation.ts'
import { measured } from './runs.ts'

/** Fixed: the same installations for every mutant, in every run of the suite. */
const SEED = 20_260_814

const { limitOf, record, mutants } = measured('activation')

const property = (play: () => Partial<Play>) =>
  fc.asyncProperty(installations(), (installation) =>
    playActivation(openSqliteMemory, installation, { activate, ask: (session) => session, ...play() }),
  )

describe('mutants of the activation on SQLite', () => {
  it('AC-24d: what is not mutated passes the same installations', { timeout: 120_000 }, async () => {
    const { found, report } = await runsToFind(
      property(() => ({})),
      { seed: SEED, numRuns: 100 },
    )
    expect(found, report).toBeUndefined()
  })

  it('AC-24d: what was measured is what is planted', () => {
    expect(mutants().filter((name) => !ACTIVATION_MUTANTS.some((mutant) => mutant.name === name))).toEqual([])
  })

  it.each(ACTIVATION_MUTANTS.map((mutant) => [`${mutant.breaks}: ${mutant.name}`, mutant] as const))(
    '%s',
    { timeout: 300_000 },
    async (_, { name, play }) => {
      const { found } = await runsToFind(property(play), { seed: SEED, numRuns: limitOf(name) })
      expect(found, `"${name}" survived`).toBeDefined()
      record(name, found ?? 0)
    },
  )
})
