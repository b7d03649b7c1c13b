import type { ColumnDefinition, CreateTable } from './statement.ts'
import type { SqlType } from './types.ts'

/** A column that is none of the contract's: the words of its declaration, as its own database reported them. */
export interface ForeignColumn {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  /** An SQL expression; null for none. */
  readonly initial: string | null
}

/** One change of `ALTER TABLE`. `enable` and `disable` speak of a trigger; `always` fires on replicas too. */
export type Change =
  | { readonly kind: 'addColumn'; readonly column: ColumnDefinition }
  | { readonly kind: 'dropDefault'; readonly column: string }
  | { readonly kind: 'setNotNull'; readonly column: string }
  | { readonly kind: 'setType'; readonly column: string; readonly type: SqlType }
  | { readonly kind: 'addUnique'; readonly columns: readonly string[] }
  | { readonly kind: 'dropConstraint'; readonly name: string }
  | { readonly kind: 'trigger'; readonly name: string; readonly mode: 'disable' | 'enable' | 'always' }

/** A copied column: its name, and what stands in for NULL and the empty text, if anything does. */
export interface CopiedColumn {
  readonly name: string
  readonly absentAs?: string
}

/** Statements that change a table that is already there. Plain data; each is one statement. */
export type Migration =
  | { readonly kind: 'alterTable'; readonly table: string; readonly changes: readonly Change[] }
  | { readonly kind: 'lockTable'; readonly table: string }
  /** Drops every unique constraint and every plain, whole unique index over exactly these columns, whatever their names and order. */
  | { readonly kind: 'dropUniques'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'fillColumn'; readonly table: string; readonly column: string; readonly value: string }
  | { readonly kind: 'dropIndex'; readonly schema: string; readonly name: string }
  /** CREATE TABLE as in a fresh database, and after the contract's columns those of the host. */
  | { readonly kind: 'recreateTable'; readonly create: CreateTable; readonly extra: readonly ForeignColumn[] }
  /** A temporary table whose columns have no type, so that values keep theirs. */
  | { readonly kind: 'createStage'; readonly stage: string; readonly columns: readonly string[] }
  | { readonly kind: 'fillStage'; readonly stage: string; readonly from: string; readonly columns: readonly string[] }
  | { readonly kind: 'dropStage'; readonly stage: string }
  | { readonly kind: 'dropTable'; readonly table: string }
  | { readonly kind: 'copyStage'; readonly stage: string; readonly to: string; readonly columns: readonly CopiedColumn[] }
  /** How many staged rows the table does not hold, value for value. */
  | { readonly kind: 'countLost'; readonly stage: string; readonly table: string; readonly columns: readonly string[] }
  /** Up to five keys that more than one row has: the values, and how many rows. */
  | {
      readonly kind: 'duplicates'
      readonly table: string
      readonly columns: readonly CopiedColumn[]
      readonly missing: readonly string[]
    }
