import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { commands, type Model, newWorld, REAL_STORE, type StoreSubject } from '../../test/support/admission/crash-model.ts'
import { STORE_MUTANTS } from '../../test/support/admission/crash-mutants.ts'
import { newFolder, removeFolders } from '../../test/support/admission/stores.ts'

afterAll(removeFolders, 60_000)

const deaths = new Map<string, number>()

const property = (subject: StoreSubject) =>
  fc.property(commands, (sequence) => {
    const world = newWorld(newFolder(), subject, deaths)
    try {
      // Throws at the first command after which the disk does not hold what was acknowledged.
      fc.modelRun(() => ({ model: new Map() as Model, real: world }), sequence)
      return world.store.list().malformed.length === 0
    } finally {
      removeFolders()
    }
  })

describe('admission: crashes', () => {
  it('admission: after a crash at any point no run is admitted that was not complete, and nothing acknowledged is lost', () => {
    // Catches the mutants below, and every write that is out of order, not atomic or not made.
    deaths.clear()
    fc.assert(property(REAL_STORE), { numRuns: Math.max(100, fc.readConfigureGlobal().numRuns ?? 0) })
    // Not vacuous: it died in many operations, and at every stage.
    const places = [...deaths.keys()]
    expect(places.length).toBeGreaterThan(15)
    for (const stage of ['before', 'half-temporary', 'temporary', 'renamed'])
      expect(places.filter((place) => place.endsWith(`, ${stage}`)).length).toBeGreaterThan(2)
  }, 120_000)

  it.each(STORE_MUTANTS)(
    'admission: caught: $name',
    ({ subject, shows }) => {
      // It ends at the first failure; the runs are many so that every seed finds one.
      const { failed, errorInstance } = fc.check(property(subject), { endOnFailure: true, numRuns: 1000 })
      expect(failed).toBe(true)
      expect(String(errorInstance)).toMatch(shows)
    },
    120_000,
  )
})
