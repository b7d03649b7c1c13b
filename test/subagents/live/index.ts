import { afterAll, beforeAll, describe } from 'vitest'
import { absenceTests } from './absence.ts'
import { captureTests } from './capture.ts'
import { concurrencyTests } from './concurrency.ts'
import type { OpenPlace, Place } from './harness.ts'
import { healthTests } from './health.ts'
import { identityTests } from './identity.ts'
import { orderingTests } from './ordering.ts'
import { terminalityTests } from './terminality.ts'

const SUITES = [captureTests, absenceTests, terminalityTests, orderingTests, concurrencyTests, healthTests, identityTests]

/** The live path of the first contract, the same tests on every database. */
export const livePath = (name: string, open: OpenPlace): void => {
  describe(`the live path on ${name}`, () => {
    let place: Place
    beforeAll(async () => {
      place = await open()
    })
    afterAll(() => place.close())
    for (const suite of SUITES) suite(() => place)
  })
}
