import type { DocumentField, SqlType } from '../ast/index.ts'

/** What a dialect prints differently, and how its driver's values read. A dialect is one record of these hooks. */
export interface DialectHooks {
  /** The column's type in DDL. */
  readonly typeName: Readonly<Record<SqlType, string>>
  /** The n-th parameter, 1-based, cast to its column's type where the database infers another one (hazard 28). */
  readonly parameter: (position: number, type: SqlType) => string
  /** The same for an array that holds a column of many rows; undefined where the dialect has no arrays. */
  readonly arrayParameter: ((position: number, type: SqlType) => string) | undefined
  /** A column of many rows as the text of one array, values as `encode` gave them. */
  readonly arrayText: (values: readonly (string | bigint | null)[]) => string
  /** An operand of text type, ordered by UTF-8 bytes. */
  readonly bytes: (operand: string) => string
  /** An instant in the form that compares. */
  readonly moment: (operand: string, type: SqlType) => string
  /** The same, NULL for what is no instant from the year 1 to 9999. */
  readonly instant: (operand: string, type: SqlType) => string
  /** The instant in a column is not before another; `since` prints it, as often as it is called. */
  readonly atOrAfter: (operand: string, since: () => string) => string
  /** A JSON text may hold this one, however it is escaped. */
  readonly mentions: (operand: string, text: string) => string
  /** A text, NULL for what another database could not hold. */
  readonly plainText: (operand: string) => string
  /** A text literal. */
  readonly text: (value: string) => string
  /** A new random UUID as text. */
  readonly uuid: string
  /** The schema that temporary tables live in. */
  readonly temporary: string
  /** What must have run on a connection before `documents` can be read; undefined where nothing must. */
  readonly prepareDocuments: string | undefined
  /** A table with what its JSON documents hold, as an item of FROM named `source`. */
  readonly documents: (node: PrintedDocuments) => string
  /** A value in the form that `decode` reads. */
  readonly read: (operand: string, type: SqlType) => string
  /** A canonical instant (`2026-08-03T15:32:20.123456Z`) as the database stores it. */
  readonly encodeInstant: (instant: string, type: SqlType) => string
}

/** `Documents` with its conditions printed. */
export interface PrintedDocuments {
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly sql: string }[]
  readonly document: string
  readonly readable: string
  readonly fields: readonly DocumentField[]
  readonly where: readonly string[]
}
