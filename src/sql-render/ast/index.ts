export * from './expression.ts'
export type {
  ColumnDefinition,
  CreateIndex,
  CreateTable,
  ForeignKeyDefinition,
  Ordering,
  Output,
  Select,
  Statement,
  Upsert,
} from './statement.ts'
export type { SqlType, TypedColumn } from './types.ts'
