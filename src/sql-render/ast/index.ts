export * from './expression.ts'
export type { DocumentField, Documents, Except, InsertSelect, Query, Source, Stage, Unstage } from './query.ts'
export { queryOf } from './query.ts'
export type {
  CreateIndex,
  CreateTable,
  ForeignKeyDefinition,
  Ordering,
  Select,
  Statement,
  Upsert,
} from './statement.ts'
export type { SqlType, TypedColumn } from './types.ts'
