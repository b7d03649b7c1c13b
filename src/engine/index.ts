export { type BatchOptions, type BatchOutcome, compileUpsertAll, type Rows, type UpsertAll } from './batch.ts'
export { type ListOptions, type Table, tableOf } from './table.ts'
