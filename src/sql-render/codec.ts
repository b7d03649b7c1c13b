import { MergelawError } from '../errors/index.ts'
import type { Contract, Tuple, Value } from '../rules/index.ts'
import { toInstant } from '../util/instant.ts'
import { show } from '../util/show.ts'
import type { SqlType, TypedColumn } from './ast/index.ts'
import { typedColumns } from './lower/columns.ts'
import { DIALECTS, type DialectName } from './print/index.ts'

/** A value as a driver binds it. */
export type Bound = string | bigint | null

/** How rows of a contract travel to and from a database. */
export interface Codec {
  /** A normalised tuple as the upsert binds it, in the contract's order. */
  readonly encode: (tuple: Tuple) => readonly Bound[]
  /** Many encoded rows as one array text for each column, for the statement with `arrays`. */
  readonly encodeArrays: (rows: readonly (readonly Bound[])[]) => readonly string[]
  /** A row as `renderSelect` and RETURNING answer it. Throws `unsupported-value` naming table, key, column and value. */
  readonly decode: (row: readonly unknown[]) => Tuple
}

/** Compiles the codec once per contract and dialect. Values are read by the declared type, never by what the driver guessed. */
export const codecOf = (contract: Contract, dialect: DialectName): Codec => {
  const columns = typedColumns(contract)
  const encoders = columns.flatMap(({ type }, at) => {
    const encode = encoder(type, dialect)
    return encode === undefined ? [] : [{ at, encode }]
  })
  const readers = columns.map(({ type }) => READ[type])
  return {
    encode: (tuple) => {
      const bound = [...tuple]
      for (const { at, encode } of encoders) bound[at] = encode(tuple[at] ?? null)
      // Only a bool was a boolean, and it was encoded.
      return bound as Bound[]
    },
    encodeArrays: (rows) => columns.map((_column, at) => DIALECTS[dialect].arrayText(rows.map((row) => row[at] ?? null))),
    decode: (row) =>
      readers.map((read, at) => {
        const raw = row[at]
        if (raw === null || raw === undefined) return null
        const value = read(raw)
        if (value === undefined) throw unreadable(contract, columns, row, at)
        return value
      }),
  }
}

/** Undefined for a type whose values are bound as they are. */
const encoder = (type: SqlType, dialect: DialectName): ((value: Value) => Value) | undefined => {
  const { encodeInstant } = DIALECTS[dialect]
  if (type === 'bool') return (value) => (typeof value === 'boolean' ? (value ? 1n : 0n) : value)
  if (type === 'text' || type === 'int64') return undefined
  return (value) => (typeof value === 'string' ? encodeInstant(value, type) : value)
}

/** Another program wrote what the column's type cannot hold: the row's key tells where to correct it. */
const unreadable = (contract: Contract, columns: readonly TypedColumn[], row: readonly unknown[], at: number): MergelawError => {
  const { table } = contract
  const { name = '', type = 'text' } = columns[at] ?? {}
  const key = contract.key.map((part) => {
    const partAt = columns.findIndex((column) => column.name === part)
    const raw = row[partAt]
    return [part, READ[columns[partAt]?.type ?? 'text'](raw) ?? raw] as const
  })
  const where = key.map(([part, value]) => `${part} = ${show(value)}`).join(', ')
  const message = `${table}.${name} holds ${show(row[at])}, which is no ${type}, in the row with ${where}. Correct the stored row.`
  return new MergelawError('unsupported-value', message, {
    details: { table, column: name, value: row[at], key: Object.fromEntries(key) },
  })
}

const asText = (raw: unknown): string | undefined => (typeof raw === 'string' ? raw : undefined)
const asInt64 = (raw: unknown): bigint | undefined => {
  if (typeof raw === 'bigint') return raw
  return typeof raw === 'string' && /^-?\d+$/.test(raw) ? BigInt(raw) : undefined
}
const asBool = (raw: unknown): boolean | undefined => {
  const number = asInt64(raw)
  return number === undefined ? undefined : number !== 0n
}
const asInstant = (raw: unknown): string | undefined => (typeof raw === 'string' ? toInstant(raw) : undefined)

const READ: Record<SqlType, (raw: unknown) => Value | undefined> = {
  text: asText,
  int64: asInt64,
  bool: asBool,
  timestamp: asInstant,
  timestamptz: asInstant,
}
