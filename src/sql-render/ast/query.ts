import type { Expression, Output } from './expression.ts'

/** One member of a JSON document as a value; NULL where it is absent or of another type. */
export interface DocumentField {
  readonly name: string
  /** Member names from the top. */
  readonly path: readonly string[]
  readonly type: 'text' | 'int64' | 'bool'
}

/**
 * The rows of a table together with what their JSON document holds, each document parsed once: JSON_TABLE, for any text at all.
 *
 * Its rows are `source`: the columns by their names, `readable` (the text is JSON that the database can hold) and the fields. Of duplicate member
 * names the last counts; U+0000 and lone surrogates read as U+FFFD. `where` is tried before anything is parsed.
 */
export interface Documents {
  readonly kind: 'documents'
  readonly table: string
  /** What is read from the row itself. */
  readonly columns: readonly Output[]
  readonly document: string
  readonly readable: string
  readonly fields: readonly DocumentField[]
  readonly where: readonly Expression[]
}

export type Source =
  | { readonly kind: 'table'; readonly table: string; readonly as: 'stored' | 'source' }
  | { readonly kind: 'staged'; readonly name: string }
  | { readonly kind: 'derived'; readonly query: Query | Except; readonly as: string }
  | Documents

/** `SELECT … FROM … WHERE … GROUP BY … ORDER BY …`. */
export interface Query {
  readonly kind: 'query'
  readonly outputs: readonly Output[]
  readonly from: Source
  readonly where: readonly Expression[]
  readonly groupBy: readonly Expression[]
  readonly orderBy: readonly Expression[]
}

/** The distinct rows of the left that are not on the right. */
export interface Except {
  readonly kind: 'except'
  readonly left: Query
  readonly right: Query
}

/** Keeps a query's rows in a temporary table of this connection. */
export interface Stage {
  readonly kind: 'stage'
  readonly name: string
  readonly query: Query
}

/** Removes the temporary table if it is there; never a table of the database. */
export interface Unstage {
  readonly kind: 'unstage'
  readonly name: string
}

/** `INSERT … SELECT … ON CONFLICT (key) DO NOTHING`. The query has a WHERE, which SQLite needs there (hazard 23). */
export interface InsertSelect {
  readonly kind: 'insertSelect'
  readonly table: string
  readonly columns: readonly string[]
  readonly query: Query
  readonly conflict: readonly string[]
}

/** A query of these parts; what is left out is empty. */
export const queryOf = (parts: Pick<Query, 'outputs' | 'from'> & Partial<Query>): Query => ({
  where: [],
  groupBy: [],
  orderBy: [],
  ...parts,
  kind: 'query',
})
