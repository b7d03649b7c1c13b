/** Status admission: which saved child run may be continued or copied. The package entry `mergelaw/admission`. */

export { MergelawError } from '../errors/index.ts'
export { type Admitted, admit } from './admit.ts'
export { decodeExpectation, type Expectation, type RunMeta } from './codec.ts'
export type { Call } from './copies.ts'
export type { StoreFiles } from './file-store.ts'
export { createLocks, type LockTable, type Release } from './locks.ts'
export type { PreparedRun } from './prepared.ts'
export type { Listing, RunRecord } from './records.ts'
export { REFUSAL_CODES, type Refusal, type RefusalCode } from './refusal.ts'
export type { Preparation, Route, Routes } from './routes.ts'
export { openRunStore, type RunStore, type StoreOptions } from './run-store.ts'
export { ADMITTED_STATUSES, type AdmittedStatus, KNOWN_STATUSES, type KnownStatus } from './status.ts'
