import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { toInstant } from '../util/instant.ts'
import { storableText } from '../util/text.ts'
import type { AbsentRule } from './absence.ts'
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
  return (incoming) => {
    const errors: RowError[] = []
    const anomalies: string[] = []
    const tuple = fields.map((field) => field(incoming, errors, anomalies))
    for (const name of Object.keys(incoming)) {
      if (!known.has(name)) errors.push(unknownColumn(contract.table, name, incoming[name]))
    }
    return errors.length === 0 ? right({ tuple, anomalies }) : left(errors)
  }
}

type Field = (incoming: Readonly<Record<string, unknown>>, errors: RowError[], anomalies: string[]) => Value

const compileField = (contract: Contract, name: string): Field => {
  const column = columnOf(contract, name)
  const isAbsent = compileAbsence(column.absent)
  const fallback = fallbackOf(column)
  const missingMatters = column.rule.kind === 'lastValue' || (column.rule.kind === 'frozenBy' && column.rule.rule.kind === 'lastValue')
  const error = (value: unknown, code: RowError['code'], why: string): RowError => ({
    table: contract.table,
    column: name,
    value,
    code,
    message: `${contract.table}.${name}: ${why}`,
  })
  return (incoming, errors, anomalies) => {
    // A name like `__proto__` or `constructor` must not read what every object inherits.
    const sent = Object.hasOwn(incoming, name) ? incoming[name] : undefined
    if (sent === undefined && missingMatters) {
      errors.push(error(sent, 'missing', 'missing: a lastValue column has no "not reported"; send the value, or null'))
      return null
    }
    if (sent === undefined || sent === null) return fallback ?? absentValue(column, sent, errors, error)
    const value = READ[column.type](sent)
    if (value === undefined) {
      errors.push(error(sent, 'type', `${show(sent)} is no ${EXPECTED[column.type]}`))
      return null
    }
    if (!isAbsent(value)) return value
    if (typeof value === 'bigint' && value < 0n) anomalies.push(name)
    return fallback ?? absentValue(column, sent, errors, error)
  }
}

const absentValue = (
  column: Column,
  sent: unknown,
  errors: RowError[],
  error: (value: unknown, code: RowError['code'], why: string) => RowError,
): null => {
  if (!column.nullable) {
    const what = column.rule.kind === 'key' ? 'a key part' : 'a NOT NULL column'
    errors.push(error(sent, 'missing', `${sent === undefined ? 'missing' : `${show(sent)} means "not reported"`}: ${what} needs a value`))
  }
  return null
}

/** What stands in for an absent value: the key's sentinel, or the default of a new row. */
const fallbackOf = (column: Column): string | boolean | undefined =>
  column.rule.kind === 'key' ? column.rule.absentAs : column.default

const compileAbsence = (rules: readonly AbsentRule[]): ((value: Value) => boolean) => {
  const markers = new Set(rules.flatMap((rule) => (typeof rule === 'object' ? [rule.marker] : rule === 'empty' ? [''] : [])))
  const zero = rules.includes('zero')
  const negative = rules.includes('negative')
  return (value) => {
    if (typeof value === 'string') return markers.has(value)
    if (typeof value === 'bigint') return (zero && value === 0n) || (negative && value < 0n)
    return false
  }
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
  const text = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
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
  const column = contract.columns[name]
  if (column === undefined) throw new RangeError(`${contract.table} has no column ${name}`)
  return column
}
