/** Types as a statement sees them. `timestamp` is naive and means UTC; SQLite stores both kinds of instant as text. */
export type SqlType = 'text' | 'int64' | 'bool' | 'timestamp' | 'timestamptz'

/** A column with its type. */
export interface TypedColumn {
  readonly name: string
  readonly type: SqlType
}
