import { afterAll, describe, expect, it } from 'vitest'
import { identityFailures, statusFailures } from '../../test/support/admission/matrix.ts'
import { MUTANTS } from '../../test/support/admission/mutants.ts'
import { removeFolders } from '../../test/support/admission/stores.ts'

afterAll(removeFolders)

describe('admission: planted wrong implementations are caught', () => {
  // The control: without it, a matrix that always fails would seem to catch everything.
  it('admission: the real implementation passes both matrices', () => {
    expect([...statusFailures(), ...identityFailures()]).toEqual([])
  }, 60_000)

  it.each(MUTANTS)(
    'admission: caught: $name',
    ({ subject, caughtBy, shows }) => {
      const failures = caughtBy === 'status' ? statusFailures(subject) : identityFailures(subject)
      expect(isIn(failures, shows)).toBe(true)
    },
    60_000,
  )
})

/** Looks no further than the first failure that says it. */
const isIn = (failures: Iterable<string>, shows: string): boolean => {
  for (const failure of failures) if (failure.includes(shows)) return true
  return false
}
