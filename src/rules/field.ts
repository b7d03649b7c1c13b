import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { MergelawError } from '../errors/index.ts'
import { toInstant } from '../util/instant.ts'
import { show } from '../util/show.ts'
import { storableText } from '../util/text.ts'
import type { Column } from './columns.ts'
import type { Contract } from './contract.ts'
import { ONLY_SELECTS, type Rule } from './kinds/index.ts'
import { type ColumnType, INT64_MAX, INT64_MIN, type Value } from './values.ts'

/** Why one field of an incoming row cannot be used. */
export interface RowError {
  readonly table: string
  /** Empty where the row itself is what is wrong. */
  readonly column: string
  /** The value as it came. */
  readonly value: unknown
  readonly code: 'missing' | 'type' | 'unknown-column' | 'no-object' | 'inherited'
  /** Names the column, the value and what to do. */
  readonly message: string
}

/** What the fields of one row report while they are read; undefined while there is nothing to report. */
export interface Notes {
  errors: RowError[] | undefined
  anomalies: string[] | undefined
}

/** Reads one value as it was sent; null is absent, and what is wrong goes to the notes. */
export type Field = (sent: unknown, notes: Notes) => Value

/** Type, absence, sentinel, default and anomaly of one column, in this order. */
export const compileField = (contract: Contract, name: string): Field => {
  const column = columnOf(contract, name)
  const read = READ[column.type]
  const isAbsent = compileAbsence(column)
  const absent = compileAbsent(contract, name, column)
  return (sent, notes) => {
    if (sent === undefined || sent === null) return absent(sent, notes)
    const value = read(sent)
    if (value === undefined) {
      report(notes, rowError(contract, name, sent, 'type', `${show(sent)} is no ${EXPECTED[column.type]}`))
      return null
    }
    if (!isAbsent(value)) return value
    if (typeof value === 'bigint' && value < 0n) noteAnomaly(notes, name)
    return absent(sent, notes)
  }
}

/** Reads a value that must be of the column's type: text and instants as they are stored. Absence plays no part, and null stays. */
export const compileLookup = (contract: Contract, name: string): ((sent: unknown) => Either<RowError, Value>) => {
  const { type } = columnOf(contract, name)
  return (sent) => {
    if (sent === null) return right(null)
    const value = READ[type](sent)
    return value === undefined
      ? left(rowError(contract, name, sent, 'type', `${show(sent)} is no ${EXPECTED[type]}`))
      : right(value)
  }
}

/** A lastValue column has no "not reported": a value that was not sent at all is an error there. */
const missingMatters = ({ rule }: Column): boolean =>
  rule.kind === 'lastValue' || (rule.kind === 'frozenBy' && rule.rule.kind === 'lastValue')

/** True for a text that is absent exactly when it is empty or was not sent, and is NULL then: most texts are. */
export const isOptionalText = (column: Column): boolean =>
  isUsualText(column) && column.nullable && fallbackOf(column) === undefined && !missingMatters(column)

/** True for a text whose only absent value is the empty one, and which merging hands on as it is. */
export const isUsualText = ({ type, absent, rule }: Column): boolean =>
  type === 'text' && absent.length === 1 && absent[0] === 'empty' && onlySelects(rule)

const onlySelects = (rule: Rule): boolean =>
  rule.kind !== 'key' && ONLY_SELECTS[rule.kind === 'frozenBy' ? rule.rule.kind : rule.kind]

/** What an absent value becomes: the sentinel or default, NULL, or an error where the column needs a value. */
const compileAbsent = (contract: Contract, name: string, column: Column): Field => {
  const fallback = fallbackOf(column)
  const mustBeSent = missingMatters(column)
  const needed = column.rule.kind === 'key' ? 'a key part needs a value' : 'a NOT NULL column needs a value'
  return (sent, notes) => {
    if (sent === undefined && mustBeSent) {
      const why = 'missing: a lastValue column has no "not reported"; send the value, or null'
      report(notes, rowError(contract, name, sent, 'missing', why))
      return null
    }
    if (fallback !== undefined) return fallback
    if (!column.nullable) {
      const what = sent === undefined ? 'missing' : `${show(sent)} means "not reported"`
      report(notes, rowError(contract, name, sent, 'missing', `${what}: ${needed}`))
    }
    return null
  }
}

const noteAnomaly = (notes: Notes, name: string): void => {
  notes.anomalies ??= []
  notes.anomalies.push(name)
}

const report = (notes: Notes, error: RowError): void => {
  notes.errors ??= []
  notes.errors.push(error)
}

export const rowError = ({ table }: Contract, column: string, value: unknown, code: RowError['code'], why: string): RowError => ({
  table,
  column,
  value,
  code,
  message: `${table}.${column}: ${why}`,
})

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
    if (typeof sent === 'number') return Number.isSafeInteger(sent) ? BigInt(sent) : undefined
    return typeof sent === 'bigint' && sent >= INT64_MIN && sent <= INT64_MAX ? sent : undefined
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

/** The column of that name; the contract was checked, so it is there. */
export const columnOf = (contract: Contract, name: string): Column => {
  const column = Object.hasOwn(contract.columns, name) ? contract.columns[name] : undefined
  if (column !== undefined) return column
  throw new MergelawError('contract', `${contract.table} has no column ${JSON.stringify(name)}`, {
    details: { table: contract.table, column: name },
  })
}
