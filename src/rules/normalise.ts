import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { MergelawError } from '../errors/index.ts'
import { toInstant } from '../util/instant.ts'
import { storableText } from '../util/text.ts'
import type { Column } from './columns.ts'
import type { Contract } from './contract.ts'
import { type ColumnType, INT64_MAX, INT64_MIN, type Tuple, type Value } from './values.ts'

/** Why one field of an incoming row cannot be used. */
export interface RowError {
  readonly table: string
  readonly column: string
  /** The value as it came. */
  readonly value: unknown
  readonly code: 'missing' | 'type' | 'unknown-column'
  /** Names the column, the value and what to do. */
  readonly message: string
}

/** A row ready to merge, and the columns whose value was an anomaly (a negative measurement, AC-9). */
export interface Normalised {
  readonly tuple: Tuple
  readonly anomalies: readonly string[]
}

export type Normalise = (incoming: Readonly<Record<string, unknown>>) => Either<readonly RowError[], Normalised>

/**
 * Compiles the contract's normaliser: the only place where absence is decided.
 *
 * What it lets through has the declared type, null for absent, sentinels in place, and text that both databases can hold.
 */
export const compileNormalise = (contract: Contract): Normalise => {
  const names = Object.keys(contract.columns)
  const known = new Set(names)
  const fields = names.map((name) => compileField(contract, name))
  const width = fields.length
  return (incoming) => {
    const sink: Sink = { errors: undefined, anomalies: undefined, sent: 0 }
    const tuple = new Array<Value>(width)
    for (let at = 0; at < width; at++) tuple[at] = fields[at]?.(incoming, sink) ?? null
    // Only when more was sent than was read is there a name to look for.
    const sent = Object.keys(incoming)
    if (sent.length !== sink.sent) refuseUnknown(contract.table, known, incoming, sink)
    return sink.errors === undefined ? right({ tuple, anomalies: sink.anomalies ?? NONE }) : left(sink.errors)
  }
}

const NONE: readonly string[] = []

/** What the fields of one row report while they are read. */
interface Sink {
  errors: RowError[] | undefined
  anomalies: string[] | undefined
  /** How many of the row's own fields were read. */
  sent: number
}

type Field = (incoming: Readonly<Record<string, unknown>>, sink: Sink) => Value

/** `__proto__` and `constructor` are legal column names, and every object inherits something under them. */
const isInherited = (name: string): boolean => name in Object.prototype

const compileField = (contract: Contract, name: string): Field => {
  const column = columnOf(contract, name)
  const inherited = isInherited(name)
  const read = READ[column.type]
  const isAbsent = compileAbsence(column)
  const absent = compileAbsent(contract, name, column)
  return (incoming, sink) => {
    const sent = inherited && !Object.hasOwn(incoming, name) ? undefined : incoming[name]
    if (sent !== undefined) sink.sent += 1
    if (sent === undefined || sent === null) return absent(sent, sink)
    const value = read(sent)
    if (value === undefined) {
      report(sink, rowError(contract, name, sent, 'type', `${show(sent)} is no ${EXPECTED[column.type]}`))
      return null
    }
    if (!isAbsent(value)) return value
    if (typeof value === 'bigint' && value < 0n) (sink.anomalies ??= []).push(name)
    return absent(sent, sink)
  }
}

/** What an absent value becomes: the sentinel or default, NULL, or an error where the column needs a value. */
const compileAbsent = (contract: Contract, name: string, column: Column): ((sent: unknown, sink: Sink) => Value) => {
  const { rule } = column
  const fallback = fallbackOf(column)
  const missingMatters = rule.kind === 'lastValue' || (rule.kind === 'frozenBy' && rule.rule.kind === 'lastValue')
  const needed = rule.kind === 'key' ? 'a key part needs a value' : 'a NOT NULL column needs a value'
  return (sent, sink) => {
    if (sent === undefined && missingMatters) {
      const why = 'missing: a lastValue column has no "not reported"; send the value, or null'
      report(sink, rowError(contract, name, sent, 'missing', why))
      return null
    }
    if (fallback !== undefined) return fallback
    if (!column.nullable) {
      const what = sent === undefined ? 'missing' : `${show(sent)} means "not reported"`
      report(sink, rowError(contract, name, sent, 'missing', `${what}: ${needed}`))
    }
    return null
  }
}

const report = (sink: Sink, error: RowError): void => {
  sink.errors ??= []
  sink.errors.push(error)
}

const rowError = ({ table }: Contract, column: string, value: unknown, code: RowError['code'], why: string): RowError => ({
  table,
  column,
  value,
  code,
  message: `${table}.${column}: ${why}`,
})

/** A field set to undefined counts as not sent, so a difference in number alone proves nothing. */
const refuseUnknown = (
  table: string,
  known: ReadonlySet<string>,
  incoming: Readonly<Record<string, unknown>>,
  sink: Sink,
): void => {
  for (const name of Object.keys(incoming)) {
    if (!known.has(name)) report(sink, unknownColumn(table, name, incoming[name]))
  }
}

/** What stands in for an absent value: the key's sentinel, or the default of a new row. */
const fallbackOf = (column: Column): string | boolean | undefined =>
  column.rule.kind === 'key' ? column.rule.absentAs : column.default

const never = (): boolean => false

const compileAbsence = ({ type, absent }: Column): ((value: Value) => boolean) => {
  if (absent.length === 0) return never
  if (type === 'int64') {
    const zero = absent.includes('zero')
    const negative = absent.includes('negative')
    return (value) => typeof value === 'bigint' && ((zero && value === 0n) || (negative && value < 0n))
  }
  const markers = new Set(absent.map((rule) => (typeof rule === 'object' ? rule.marker : '')))
  return markers.size === 1 && markers.has('')
    ? (value) => value === ''
    : (value) => typeof value === 'string' && markers.has(value)
}

/** One reader per type: the value in its canonical form, or undefined when it is not of the type. */
const READ: Record<ColumnType, (sent: unknown) => Value | undefined> = {
  text: (sent) => (typeof sent === 'string' ? storableText(sent) : undefined),
  int64: (sent) => {
    // A number is taken only while it is exact; NaN, fractions and anything past 2^53 are refused (hazard 34).
    const value = typeof sent === 'number' && Number.isSafeInteger(sent) ? BigInt(sent) : sent
    return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX ? value : undefined
  },
  bool: (sent) => (typeof sent === 'boolean' ? sent : undefined),
  instant: (sent) => (typeof sent === 'string' ? toInstant(sent) : undefined),
}

const EXPECTED: Record<ColumnType, string> = {
  text: 'text',
  int64: '64-bit integer (a bigint from -2^63 to 2^63-1, or a safe integer)',
  bool: 'boolean (true or false)',
  instant: 'instant (for example "2026-08-03T15:32:20.123456Z")',
}

const show = (value: unknown): string => {
  const text = textOf(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

/** Whatever was sent, a message can be made of it: integers past 2^53 inside an object, a cycle, an object with code of its own. */
const textOf = (value: unknown): string => {
  if (typeof value === 'bigint') return `${value}n`
  try {
    return JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? String(value)
  } catch {
    return `a value of type ${typeof value}`
  }
}

const unknownColumn = (table: string, column: string, value: unknown): RowError => ({
  table,
  column,
  value,
  code: 'unknown-column',
  message: `${table}: ${JSON.stringify(column)} is no column of this contract; a misspelt name would be lost silently`,
})

/** The column of that name; the contract was checked, so it is there. */
export const columnOf = (contract: Contract, name: string): Column => {
  const column = Object.hasOwn(contract.columns, name) ? contract.columns[name] : undefined
  if (column !== undefined) return column
  throw new MergelawError('contract', `${contract.table} has no column ${JSON.stringify(name)}`, {
    details: { table: contract.table, column: name },
  })
}
