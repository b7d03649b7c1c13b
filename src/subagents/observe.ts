import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Program, query, type SqlRow } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { CATALOG } from '../sql-render/index.ts'

/** SQL has 0 and 1 where the documents mean false and true. */
const Flag = new t.Type<boolean, 0 | 1>(
  'Flag',
  (value): value is boolean => typeof value === 'boolean',
  (value, context) => (value === 0 || value === 1 ? t.success(value === 1) : t.failure(value, context)),
  (value) => (value ? 1 : 0),
)
const Text = t.union([t.string, t.null])

const RELATION = t.type({ table: t.string, isTable: Flag, schema: t.string, sql: Text })
const COLUMN = t.type({
  table: t.string,
  name: t.string,
  type: t.string,
  notNull: Flag,
  /** SQLite: the DEFAULT's expression. */
  initial: Text,
  /** SQLite: place in the primary key, from 1; 0 outside it. */
  primaryKey: t.number,
  generated: Flag,
  /** PostgreSQL: an integer of two or four bytes. */
  narrow: Flag,
})
const INDEX = t.type({
  table: t.string,
  name: t.string,
  /** Every index belongs to a constraint, or is plain. */
  kind: t.keyof({ primary: null, constraint: null, index: null }),
  unique: Flag,
  /** Not partial. */
  whole: Flag,
  /** In order; null stands for an expression. */
  columns: t.array(Text),
  /** An ON CONFLICT of these columns can use it: valid and not deferrable, or SQLite's plain collation. */
  infers: Flag,
  sql: Text,
})
/** `mode`: PostgreSQL's tgenabled (O, A, R, D); `temporary` for SQLite's TEMP triggers. */
const TRIGGER = t.type({ table: t.string, name: t.string, mode: t.string, sql: Text })
const FOREIGN_KEY = t.type({ table: t.string, references: t.string, columns: t.array(t.string) })
/** Another SQLite table that refers to this one. */
const REFERENCED_BY = t.type({ table: t.string, by: t.string, columns: t.array(Text) })

export type ObservedColumn = t.TypeOf<typeof COLUMN>
export type ObservedIndex = t.TypeOf<typeof INDEX>
export type ObservedTrigger = t.TypeOf<typeof TRIGGER>
type Relation = t.TypeOf<typeof RELATION>
type ForeignKey = t.TypeOf<typeof FOREIGN_KEY>
type ReferencedBy = t.TypeOf<typeof REFERENCED_BY>

/** One table as the database's catalogue describes it at this moment. */
export interface ObservedTable extends Relation {
  readonly columns: readonly ObservedColumn[]
  readonly indexes: readonly ObservedIndex[]
  readonly triggers: readonly ObservedTrigger[]
  /** SQLite only. */
  readonly foreignKeys: readonly ForeignKey[]
  /** SQLite only. */
  readonly referencedBy: readonly ReferencedBy[]
}

/** The tables that are there, by name. */
export type Observed = ReadonlyMap<string, ObservedTable>

/**
 * Observes tables in the live schema: their columns, indexes, unique constraints and triggers, never what a migration reported (AC-33b).
 *
 * Tables that do not exist are left out. SQL: one SELECT over the catalogue.
 */
export function* observe(dialect: Dialect, tables: readonly string[]): Program<Observed> {
  const docs = yield* query('observe the schema', CATALOG[dialect], [JSON.stringify(tables)], readDoc)
  const all = <A>(kind: string, codec: t.Type<A, unknown, unknown>): readonly A[] =>
    docs.filter((doc) => doc.kind === kind).map(({ doc }) => decode(codec, doc))
  const columns = all('column', COLUMN)
  const indexes = all('index', INDEX)
  const triggers = all('trigger', TRIGGER)
  const foreignKeys = all('foreignKey', FOREIGN_KEY)
  const referencedBy = all('referencedBy', REFERENCED_BY)
  return new Map(
    all('relation', RELATION).map((relation) => {
      const own = <A extends { readonly table: string }>(parts: readonly A[]): readonly A[] =>
        parts.filter(({ table }) => table === relation.table)
      return [
        relation.table,
        {
          ...relation,
          columns: own(columns),
          indexes: own(indexes),
          triggers: own(triggers),
          foreignKeys: own(foreignKeys),
          referencedBy: own(referencedBy),
        },
      ]
    }),
  )
}

interface Doc {
  readonly kind: unknown
  readonly doc: unknown
}

const readDoc = ([kind, doc]: SqlRow): Doc => ({ kind, doc: typeof doc === 'string' ? JSON.parse(doc) : doc })

const decode = <A>(codec: t.Type<A, unknown, unknown>, doc: unknown): A => {
  const decoded = codec.decode(doc)
  if (isLeft(decoded)) {
    throw new MergelawError(
      'unsupported',
      `The database's catalogue answered what this library cannot read: ${JSON.stringify(doc)}`,
      {
        details: { doc },
      },
    )
  }
  return decoded.right
}
