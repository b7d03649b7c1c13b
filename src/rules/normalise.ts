import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { storableText } from '../util/text.ts'
import type { Contract } from './contract.ts'
import { columnOf, compileField, isOptionalText, isUsualText, type Notes, type RowError } from './field.ts'
import type { Tuple, Value } from './values.ts'

export { columnOf, type Notes, type RowError } from './field.ts'

/** A row ready to merge, and the columns whose value was an anomaly (a negative measurement, AC-9). */
export interface Normalised {
  readonly tuple: Tuple
  readonly anomalies: readonly string[]
}

export type Normalise = (incoming: Readonly<Record<string, unknown>>) => Either<readonly RowError[], Normalised>

/**
 * The same for values in the contract's column order, undefined where none was sent; undefined when `notes.errors` tells why.
 *
 * It takes the array over: the tuple is that array, since a second one for every row costs a third of the work.
 */
export type NormaliseValues = (sent: unknown[], notes: Notes) => Tuple | undefined

const NONE: readonly string[] = []

/**
 * Compiles the contract's normaliser: the only place where absence is decided.
 *
 * What it lets through has the declared type, null for absent, sentinels in place, and text that both databases can hold.
 */
export const compileNormaliseValues = (contract: Contract): NormaliseValues => {
  const names = Object.keys(contract.columns)
  const fields = names.map((name) => compileField(contract, name))
  // Most columns are such texts, and a loop over them costs a third of a call for each. They mean the same as their field.
  const positions = names.map((_name, at) => at)
  const texts = positions.filter((at) => isUsualText(columnOf(contract, names[at] ?? '')))
  const isOptional = names.map((name) => isOptionalText(columnOf(contract, name)))
  const others = positions.filter((at) => !texts.includes(at))
  return (values, notes) => {
    for (const at of texts) {
      const sent = values[at]
      if (typeof sent === 'string' && sent !== '') values[at] = storableText(sent)
      else values[at] = isOptional[at] && isNotReported(sent) ? null : fields[at]?.(sent, notes)
    }
    for (const at of others) values[at] = fields[at]?.(values[at], notes)
    // Every position was set by its field, which gives a value of the column's type, or null beside an error.
    return notes.errors === undefined ? (values as Value[]) : undefined
  }
}

/** Errors in the order of the columns, however the columns were visited. */
const inOrder = (names: readonly string[], errors: readonly RowError[]): readonly RowError[] =>
  errors.toSorted((a, b) => names.indexOf(a.column) - names.indexOf(b.column))

const isNotReported = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Compiles the same for rows with named fields: unknown names are refused, since a misspelt one would be lost silently. */
export const compileNormalise = (contract: Contract): Normalise => {
  const names = Object.keys(contract.columns)
  const known = new Set(names)
  const isInherited = names.map((name) => name in Object.prototype)
  const normalise = compileNormaliseValues(contract)
  return (incoming) => {
    let sent = 0
    // `__proto__` and `constructor` are legal column names, and every object inherits something under them.
    const values = names.map((name, at) => {
      const value = isInherited[at] === true && !Object.hasOwn(incoming, name) ? undefined : incoming[name]
      if (value !== undefined) sent++
      return value
    })
    const notes: Notes = { errors: undefined, anomalies: undefined }
    const tuple = normalise(values, notes)
    // Only when more was sent than was read is there a name to look for.
    const unknown = Object.keys(incoming).length === sent ? [] : unknownColumns(contract.table, known, incoming)
    if (tuple !== undefined && unknown.length === 0) return right({ tuple, anomalies: notes.anomalies ?? NONE })
    return left([...inOrder(names, notes.errors ?? []), ...unknown])
  }
}

/** A field set to undefined counts as not sent, so a difference in number alone proves nothing. */
const unknownColumns = (
  table: string,
  known: ReadonlySet<string>,
  incoming: Readonly<Record<string, unknown>>,
): readonly RowError[] =>
  Object.keys(incoming)
    .filter((name) => !known.has(name))
    .map((column) => ({
      table,
      column,
      value: incoming[column],
      code: 'unknown-column',
      message: `${table}: ${JSON.stringify(column)} is no column of this contract; a misspelt name would be lost silently`,
    }))
