/** Rows of any contract, and where they are cut into batches. */
import fc from 'fast-check'
import type { BatchCase } from '../oracle/batches.ts'
import { normalised } from '../oracle/run-and-compare.ts'
import { contract } from './contracts.ts'
import { contractWithHistory } from './rows.ts'

/** Up to three cuts, as numbers that are taken modulo the length; most histories stay long enough to fold. */
export const cuts = (): fc.Arbitrary<readonly number[]> => fc.array(fc.nat(), { maxLength: 3 })

export const batchCase = (): fc.Arbitrary<BatchCase> =>
  fc
    .tuple(contractWithHistory(contract()), cuts(), fc.constantFrom(1, 2, 3, 500)) // small chunks, so that short histories have several
    .map(([given, places, chunk]) => ({ contract: given.contract, rows: normalised(given), places, chunk }))
