import { MergelawError } from '../errors/index.ts'
import type { Contract, Tuple, Value } from '../rules/index.ts'
import { toInstant } from '../util/instant.ts'
import { show } from '../util/show.ts'
import type { SqlType } from './ast/index.ts'
import { typedColumns } from './lower/columns.ts'
import { DIALECTS, type DialectName } from './print/index.ts'

/** How rows of a contract travel to and from a database. */
export interface Codec {
  /** A normalised tuple as the upsert binds it, in the contract's order. */
  readonly encode: (tuple: Tuple) => readonly (string | bigint | null)[]
  /** Many encoded rows as one array text for each column, for the statement with `arrays`. */
  readonly encodeArrays: (rows: readonly (readonly (string | bigint | null)[])[]) => readonly string[]
  /** A row as `renderSelect` and RETURNING answer it. Throws `unsupported-value` naming table, column and value. */
  readonly decode: (row: readonly unknown[]) => Tuple
}

/** Compiles the codec once per contract and dialect. Values are read by the declared type, never by what the driver guessed. */
export const codecOf = (contract: Contract, dialect: DialectName): Codec => {
  const columns = typedColumns(contract)
  const encoders = columns.map(({ type }) => encoder(type, dialect))
  const decoders = columns.map(({ name, type }) => decoder(contract.table, name, type))
  return {
    encode: (tuple) => encoders.map((encode, at) => encode(tuple[at] ?? null)),
    encodeArrays: (rows) => columns.map((_column, at) => DIALECTS[dialect].arrayText(rows.map((row) => row[at] ?? null))),
    decode: (row) => decoders.map((decode, at) => decode(row[at])),
  }
}

const encoder = (type: SqlType, dialect: DialectName): ((value: Value) => string | bigint | null) => {
  const { encodeInstant } = DIALECTS[dialect]
  const isInstant = type === 'timestamp' || type === 'timestamptz'
  return (value) => {
    if (typeof value === 'boolean') return value ? 1n : 0n
    return isInstant && typeof value === 'string' ? encodeInstant(value, type) : value
  }
}

const decoder = (table: string, name: string, type: SqlType): ((raw: unknown) => Value) => {
  const read = READ[type]
  return (raw) => {
    if (raw === null || raw === undefined) return null
    const value = read(raw)
    if (value !== undefined) return value
    throw new MergelawError('unsupported-value', `${table}.${name} holds ${show(raw)}, which is no ${type}.`, {
      details: { table, column: name, value: raw },
    })
  }
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
