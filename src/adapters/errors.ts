import { type ErrorCode, MergelawError } from '../errors/index.ts'
import { messageOf } from '../util/message-of.ts'

/** The codes a database's answer can carry. */
export type DatabaseErrorCode = Extract<
  ErrorCode,
  | 'constraint'
  | 'foreign-key'
  | 'busy'
  | 'serialization'
  | 'deadlock'
  | 'connection'
  | 'unsupported-value'
  | 'missing-table'
  | 'usage'
  | 'unknown'
>

/** Where an error happened: the step's name, its SQL, and for `runMany` which row. */
export interface Place {
  readonly step: string
  readonly sql?: string
  /** Zero-based index of the row in a `runMany` step. */
  readonly row?: number
}

/** What a driver's error says, in our words. `facts` are named parts: constraint, table, column, value. */
export interface Reading {
  readonly code: DatabaseErrorCode
  readonly facts?: Readonly<Record<string, unknown>>
  /** Replaces the code's usual advice. */
  readonly advice?: string
}

const ADVICE: Readonly<Record<DatabaseErrorCode, string>> = {
  constraint: 'Change the row so that it keeps the constraint.',
  'foreign-key': 'Store the row it refers to first, or keep the row that others refer to.',
  busy: 'Another connection holds the lock: run it again, or allow a longer wait.',
  serialization: 'A concurrent transaction came first: run the whole transaction again.',
  deadlock: 'Two transactions waited for each other: run the whole transaction again, and write keys in one order.',
  connection: 'Check that the database can be reached, read and written, then run it again.',
  'unsupported-value': "Send a value that the column's type can hold.",
  'missing-table': 'Create the table first: run its schema artifact.',
  usage: 'Correct the program: running it again cannot help.',
  unknown: "See the driver's own error in `cause`.",
}

/** Builds the one error class from what a driver threw; an error that is ours already is passed through. */
export const databaseError = (cause: unknown, place: Place, read: (cause: unknown) => Reading): MergelawError => {
  if (cause instanceof MergelawError) return cause
  const { code, facts, advice } = read(cause)
  const where = place.row === undefined ? `"${place.step}"` : `"${place.step}", row ${place.row} (counted from 0),`
  const message = `${where} failed: ${sentence(messageOf(cause))} ${advice ?? ADVICE[code]}`
  return new MergelawError(code, message, { cause, details: { ...place, ...facts } })
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Reads a text property of whatever a driver threw; undefined when there is none. */
export const textProperty = (error: unknown, name: string): string | undefined => {
  if (typeof error !== 'object' || error === null) return undefined
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? value : undefined
}

/** Leaves out what is not known, so that `details` has no undefined entries. */
export const known = (facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
