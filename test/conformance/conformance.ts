import { describe } from 'vitest'
import { errorBehaviour } from './errors.ts'
import type { Harness } from './harness.ts'
import { transactionBehaviour } from './transactions.ts'
import { valueBehaviour } from './values.ts'

/**
 * Everything that every adapter must do, whatever its database and its mode. An adapter's test file is a call of this with a
 * function that opens its sessions; what only one driver can show stands in sqlite-only.ts and postgres-only.ts.
 */
export const conformance = (name: string, makeSession: () => Promise<Harness>): void => {
  describe(`conformance of ${name}`, () => {
    describe('values', () => {
      valueBehaviour(makeSession)
    })
    describe('transactions', () => {
      transactionBehaviour(makeSession)
    })
    describe('errors', () => {
      errorBehaviour(makeSession)
    })
  })
}
