/** Every planted mistake in the backfill and in health is caught, within a bounded number of runs, by the property that guards it. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Program, Session } from '../../src/index.ts'
import { type HealthReport, healthSteps } from '../../src/subagents/index.ts'
import { answering } from '../../test/support/stepping.ts'
import { healthStore } from '../arbitraries/health-stores.ts'
import { messages } from '../arbitraries/messages.ts'
import { runsToFind } from '../oracle/check.ts'
import { compareBackfill, createLenientHost } from '../oracle/compare-backfill.ts'
import { compareHealth } from '../oracle/compare-health.ts'
import { type LiveDatabase, openSqlite } from '../oracle/databases.ts'
import { BACKFILL_MUTANTS, HEALTH_MUTANTS, type StepMutant } from './backfill.ts'
import { measured } from './runs.ts'

/** Fixed: the same stores for every mutant, in every run of the suite. */
const SEED = 20_260_803

const { limitOf, record, mutants } = measured('backfill')

const planted = (database: LiveDatabase, { change }: StepMutant): LiveDatabase => ({
  ...database,
  session: answering(database.session, function* (step) {
    return yield change(step)
  }),
})

function* looked(dialect: Session['dialect'], { report = (as) => as }: Pick<StepMutant, 'report'>): Program<HealthReport> {
  return report(yield* healthSteps(dialect))
}

describe('mutants of backfill and health on SQLite', () => {
  const database = openSqlite()
  beforeAll(() => database.session.run(createLenientHost(database.session)))
  afterAll(database.close)

  const backfill = (on: LiveDatabase) => fc.asyncProperty(messages(), (history) => compareBackfill(on, history))
  const health = (on: LiveDatabase, mutant: Pick<StepMutant, 'report'>) =>
    fc.asyncProperty(healthStore(), (store) => compareHealth(on, store, () => looked(on.session.dialect, mutant)))

  it('AC-21, AC-28: what is not mutated passes the same runs', { timeout: 120_000 }, async () => {
    const ofBackfill = await runsToFind(backfill(database), { seed: SEED, numRuns: 100 })
    expect(ofBackfill.found, ofBackfill.report).toBeUndefined()
    const ofHealth = await runsToFind(health(database, {}), { seed: SEED, numRuns: 100 })
    expect(ofHealth.found, ofHealth.report).toBeUndefined()
  })

  it('AC-21, AC-28: what was measured is what is planted', () => {
    const planted = [...BACKFILL_MUTANTS, ...HEALTH_MUTANTS].map(({ name }) => name)
    expect(mutants().filter((name) => !planted.includes(name))).toEqual([])
  })

  it.each(BACKFILL_MUTANTS.map((mutant) => [`${mutant.breaks}: ${mutant.name}`, mutant] as const))(
    '%s',
    { timeout: 300_000 },
    async (_, mutant) => {
      const { found } = await runsToFind(backfill(planted(database, mutant)), { seed: SEED, numRuns: limitOf(mutant.name) })
      mutant.assertPlanted()
      expect(found, `"${mutant.name}" survived`).toBeDefined()
      record(mutant.name, found ?? 0)
    },
  )

  it.each(HEALTH_MUTANTS.map((mutant) => [`${mutant.breaks}: ${mutant.name}`, mutant] as const))(
    '%s',
    { timeout: 300_000 },
    async (_, mutant) => {
      const { found } = await runsToFind(health(planted(database, mutant), mutant), { seed: SEED, numRuns: limitOf(mutant.name) })
      mutant.assertPlanted()
      expect(found, `"${mutant.name}" survived`).toBeDefined()
      record(mutant.name, found ?? 0)
    },
  )
})
