import type { Expression, Output } from './expression.ts'
import type { InsertSelect, Query, Stage, Unstage } from './query.ts'
import type { TypedColumn } from './types.ts'

export interface ColumnDefinition extends TypedColumn {
  readonly nullable: boolean
  readonly default?: string | boolean
}

export interface ForeignKeyDefinition {
  readonly columns: readonly string[]
  readonly references: { readonly table: string; readonly columns: readonly string[] }
  readonly onDelete: 'cascade' | 'restrict'
}

/** `CREATE TABLE IF NOT EXISTS`. */
export interface CreateTable {
  readonly kind: 'createTable'
  readonly table: string
  readonly columns: readonly ColumnDefinition[]
  readonly primaryKey: readonly string[]
  readonly uniques: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKeyDefinition[]
}

/** `CREATE INDEX IF NOT EXISTS`. */
export interface CreateIndex {
  readonly kind: 'createIndex'
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
}

/** `INSERT INTO t AS stored … VALUES … ON CONFLICT (key) DO UPDATE SET …`, or DO NOTHING where nothing is assigned. */
export interface Upsert {
  readonly kind: 'upsert'
  readonly table: string
  readonly columns: readonly string[]
  /** The values of one row; or, with `arrays`, one array parameter for each column and any number of rows. */
  readonly values: readonly Expression[]
  readonly arrays: boolean
  readonly conflict: readonly string[]
  readonly set: readonly Output[]
  /** Unqualified: SQLite does not know the alias there. */
  readonly returning: readonly Output[]
}

/** One term of ORDER BY, ascending. NULL comes first: said aloud where it can occur, since the databases disagree. */
export interface Ordering {
  readonly value: Expression
  readonly nullable: boolean
}

/** `SELECT … FROM t AS stored WHERE … ORDER BY …`, ascending. */
export interface Select {
  readonly kind: 'select'
  readonly table: string
  readonly outputs: readonly Output[]
  readonly where: readonly Expression[]
  readonly orderBy: readonly Ordering[]
}

export type Statement = CreateTable | CreateIndex | Upsert | Select | Query | Stage | Unstage | InsertSelect
