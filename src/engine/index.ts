export type { BatchOptions, BatchOutcome, UpsertAll } from './batch.ts'
export { type NotStored, type OpenTable, openTable } from './open.ts'
export type { Rows } from './rows.ts'
export { type ListOptions, type Table, tableOf } from './table.ts'
