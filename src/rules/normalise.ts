import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { show } from '../util/show.ts'
import { storableText } from '../util/text.ts'
import type { Contract } from './contract.ts'
import { columnOf, compileField, isOptionalText, isUsualText, type Notes, type RowError, rowError } from './field.ts'
import type { Tuple, Value } from './values.ts'

export { columnOf, type Notes, type RowError } from './field.ts'

/** A row ready to merge, and the columns whose value was an anomaly (a negative measurement, AC-9). */
export interface Normalised {
  readonly tuple: Tuple
  readonly anomalies: readonly string[]
}

export type Normalise = (incoming: Readonly<Record<string, unknown>>) => Either<readonly RowError[], Normalised>

/**
 * The normaliser for values in the contract's column order, undefined where none was sent, in two halves: rows that are folded need
 * the second only for what is left of them.
 *
 * Both work in place: the tuple is the array that was sent, since a second one for every row costs a third of the work.
 */
export interface Normaliser {
  /** All that merging looks at: types, absence, defaults, anomalies, keys. Undefined when `notes.errors` tells why there is no row. */
  readonly admit: (sent: unknown[], notes: Notes) => Value[] | undefined
  /** What merging hands on as it is: text that no key has becomes text that both databases can hold. */
  readonly finish: (admitted: Value[]) => Tuple
}

const NONE: readonly string[] = []

/**
 * Compiles the contract's normaliser: the only place where absence is decided.
 *
 * What it lets through has the declared type, null for absent, sentinels in place, and text that both databases can hold. That text
 * may wait for the second half only where the empty text alone is absent, which making a text storable never leads to or from.
 */
export const compileNormaliser = (contract: Contract): Normaliser => {
  const names = Object.keys(contract.columns)
  const fields = names.map((name) => compileField(contract, name))
  // Most columns are such texts, and a loop over them costs a third of a call for each. They mean the same as their field.
  const positions = names.map((_name, at) => at)
  const texts = positions.filter((at) => isUsualText(columnOf(contract, names[at] ?? '')))
  const isOptional = names.map((name) => isOptionalText(columnOf(contract, name)))
  const others = positions.filter((at) => !texts.includes(at))
  return {
    admit: (values, notes) => {
      for (const at of texts) {
        const sent = values[at]
        if (typeof sent === 'string' && sent !== '') continue
        values[at] = isOptional[at] && isNotReported(sent) ? null : fields[at]?.(sent, notes)
      }
      for (const at of others) values[at] = fields[at]?.(values[at], notes)
      // Every position is a text, or was set by its field, which gives a value of the column's type, or null beside an error.
      return notes.errors === undefined ? (values as Value[]) : undefined
    },
    finish: (admitted) => {
      for (const at of texts) {
        const text = admitted[at]
        if (typeof text === 'string') admitted[at] = storableText(text)
      }
      return admitted
    },
  }
}

/** Errors in the order of the columns, however the columns were visited. */
const inOrder = (names: readonly string[], errors: readonly RowError[]): readonly RowError[] =>
  errors.toSorted((a, b) => names.indexOf(a.column) - names.indexOf(b.column))

const isNotReported = (value: unknown): boolean => value === undefined || value === null || value === ''

/**
 * Compiles the same for rows with named fields: unknown names are refused, since a misspelt one would be lost silently.
 *
 * A row's fields are its own enumerable ones. A column that it merely inherits (a getter of its class) is refused, too.
 */
export const compileNormalise = (contract: Contract): Normalise => {
  const names = Object.keys(contract.columns)
  const positions = new Map(names.map((name, at) => [name, at]))
  const { admit, finish } = compileNormaliser(contract)
  return (incoming) => {
    if (!isRow(incoming)) return left([noObject(contract, incoming)])
    const values: unknown[] = new Array(names.length).fill(undefined)
    let unknown = NO_ERRORS
    for (const name of Object.keys(incoming)) {
      const at = positions.get(name)
      if (at === undefined) unknown = [...unknown, unknownColumn(contract, name, incoming[name])]
      else values[at] = incoming[name]
    }
    const notes: Notes = { errors: undefined, anomalies: undefined }
    const admitted = admit(values, notes)
    const lost = hasOwnFieldsOnly(incoming) ? unknown : [...inherited(contract, names, incoming), ...unknown]
    if (admitted !== undefined && lost.length === 0) return right({ tuple: finish(admitted), anomalies: notes.anomalies ?? NONE })
    return left([...inOrder(names, notes.errors ?? []), ...lost])
  }
}

/** Callers without types send anything. */
const isRow = (incoming: unknown): boolean => typeof incoming === 'object' && incoming !== null && !Array.isArray(incoming)

const noObject = (contract: Contract, value: unknown): RowError => ({
  table: contract.table,
  column: '',
  value,
  code: 'no-object',
  message: `${contract.table}: ${show(value)} is no row; send an object with a field for each column`,
})

const NO_ERRORS: readonly RowError[] = []

const hasOwnFieldsOnly = (incoming: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(incoming)
  return prototype === Object.prototype || prototype === null
}

/** Every object inherits something under `constructor` and `__proto__`, which are legal column names. */
const inherited = (
  contract: Contract,
  names: readonly string[],
  incoming: Readonly<Record<string, unknown>>,
): readonly RowError[] => {
  return names
    .filter((name) => name in incoming && !Object.hasOwn(incoming, name) && !(name in Object.prototype))
    .map((name) =>
      rowError(contract, name, incoming[name], 'inherited', 'the row inherits this field; send it as a field of its own'),
    )
}

const unknownColumn = ({ table }: Contract, column: string, value: unknown): RowError => ({
  table,
  column,
  value,
  code: 'unknown-column',
  message: `${table}: ${JSON.stringify(column)} is no column of this contract; a misspelt name would be lost silently`,
})
