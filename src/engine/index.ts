export { type ListOptions, type Table, tableOf } from './table.ts'
