export { type BatchOptions, type BatchOutcome, compileUpsertAll } from './batch.ts'
export { type NotStored, type OpenTable, openTable } from './open.ts'
export { type ListOptions, type Table, tableOf } from './table.ts'
