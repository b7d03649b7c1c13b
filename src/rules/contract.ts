import type { Column, ColumnSpec, ColumnSpecs } from './columns.ts'
import type { Key, LastValue } from './kinds/index.ts'
import type { ValueOf } from './values.ts'

/** A secondary index. `columns` in order; the name is the index's own. */
export interface Index {
  readonly name: string
  readonly columns: readonly string[]
}

/** A foreign key of this table. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly references: { readonly table: string; readonly columns: readonly string[] }
  readonly onDelete: 'cascade' | 'restrict'
}

/** The merge contract of one table: frozen plain data. Its JSON round trip is the identity. */
export interface Contract<C extends ColumnSpecs = ColumnSpecs> {
  readonly table: string
  /** The conflict target, in the order of its index. */
  readonly key: readonly string[]
  readonly columns: { readonly [Name in keyof C]: Column }
  /** The table's PRIMARY KEY where it is not the key; the key is then a UNIQUE constraint. */
  readonly primaryKey: readonly string[]
  /** How rows are read: ORDER BY, text by UTF-8 bytes. */
  readonly readOrder: readonly string[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKey[]
  /** Only the type remembers the specs, for `Incoming` and `Stored`; no value carries this. */
  readonly specs?: C
}

/** The column names of a contract. */
export type Names<C> = keyof C & string

type Optional<S extends ColumnSpec> = S['rule'] extends Key
  ? S['rule'] extends { readonly absentAs: string }
    ? true
    : false
  : S['rule'] extends LastValue
    ? false
    : S['nullable'] extends true
      ? true
      : S['default'] extends string | boolean
        ? true
        : S['rule'] extends { readonly kind: 'boolOr' }
          ? true
          : false

type NullIf<S extends ColumnSpec, T> = S['nullable'] extends true ? T | null : Optional<S> extends true ? T | null : T

/** A row as it arrives: what may be absent is optional. int64 is bigint, an instant is RFC 3339 text. */
export type Incoming<Of extends Contract> =
  Of extends Contract<infer C>
    ? { readonly [N in Names<C> as Optional<C[N]> extends true ? never : N]: NullIf<C[N], ValueOf[C[N]['type']]> } & {
        readonly [N in Names<C> as Optional<C[N]> extends true ? N : never]?: ValueOf[C[N]['type']] | null | undefined
      }
    : never

/** A row as the table holds it: every column, null where nothing was reported. */
export type Stored<Of extends Contract> =
  Of extends Contract<infer C>
    ? { readonly [N in Names<C>]: C[N]['nullable'] extends true ? ValueOf[C[N]['type']] | null : ValueOf[C[N]['type']] }
    : never
