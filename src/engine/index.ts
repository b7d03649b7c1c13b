export type { BatchOptions, BatchOutcome, Rows, UpsertAll } from './batch.ts'
export { type NotStored, type OpenTable, openTable } from './open.ts'
export { type ListOptions, type Table, tableOf } from './table.ts'
