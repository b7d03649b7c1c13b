/** Wrong batches: the real engine, told something that is not so. */
import { type Contract, compileReducer, type Tuple, type UpsertAll } from '../../src/index.ts'

/** Folds whatever the laws say. */
export const foldsAnyway = (contract: Contract, upsertAll: UpsertAll): UpsertAll =>
  function* (rows, options) {
    const all = Array.from({ length: rows.length }, (_, at) => rows.at(at) as Tuple) // every position of these has a row
    const outcome = yield* upsertAll(compileReducer(contract).fold(all), { ...options, onPersisted: () => undefined })
    options?.onPersisted?.(all[0] ?? [], [...all.keys()])
    return outcome
  }
