import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { MergelawError } from '../errors/index.ts'

/** What a statement binds: text and instants as string, int64 and bool as bigint, absent as null. */
export type SqlValue = string | bigint | null

/**
 * What a database answers with: the driver's values by position (decode them, never trust their types).
 *
 * By position, since a column may be named `__proto__`, and two may share a name.
 */
export type SqlRow = readonly unknown[]

/** One request to the database. `name` is for people: errors, logs and fault injection speak of it. */
export type Step =
  | {
      readonly kind: 'query'
      readonly name: string
      readonly sql: string
      readonly params: readonly SqlValue[]
      readonly prepare: boolean
    }
  | { readonly kind: 'runMany'; readonly name: string; readonly sql: string; readonly rows: readonly (readonly SqlValue[])[] }
  | { readonly kind: 'script'; readonly name: string; readonly sql: string }
  | { readonly kind: 'begin' | 'commit' | 'rollback'; readonly name: string }
  | { readonly kind: 'wait'; readonly name: string; readonly milliseconds: number }

export interface Answer {
  readonly rows: readonly SqlRow[]
  /** Rows inserted, updated or deleted. */
  readonly changes: number
}

/**
 * Several statements written once for every database: a generator that yields steps and receives answers.
 *
 * Use `yield*` with the functions below, never a bare `yield`. An adapter runs it, synchronously or not, so the order of statements,
 * the transactions and the failure contract stand in one place, and a test can fail any step it likes.
 */
export type Program<T> = Generator<Step, T, Answer>

/** Runs one statement and decodes its rows. */
export function* query<R>(
  name: string,
  sql: string,
  params: readonly SqlValue[],
  decode: (row: SqlRow) => R,
): Program<readonly R[]> {
  const answer = yield { kind: 'query', name, sql, params, prepare: false }
  return answer.rows.map(decode)
}

/** Runs one statement that is prepared once and kept (the hot path); the answer is the number of changed rows. */
export function* execute(name: string, sql: string, params: readonly SqlValue[]): Program<number> {
  const answer = yield { kind: 'query', name, sql, params, prepare: true }
  return answer.changes
}

/**
 * Runs one prepared statement for each row; the loop lives in the adapter. The answer is the number of changed rows.
 *
 * Not a transaction by itself: the rows before a failing one stay, and the error's `details.row` is its index.
 */
export function* runMany(name: string, sql: string, rows: readonly (readonly SqlValue[])[]): Program<number> {
  const answer = yield { kind: 'runMany', name, sql, rows }
  return answer.changes
}

/**
 * Runs a text of one or more statements without parameters: a schema artifact, as it stands.
 *
 * Divergence: when a statement fails, PostgreSQL undoes those before it, SQLite keeps them; use it inside `transaction`.
 */
export function* script(name: string, sql: string): Program<void> {
  yield { kind: 'script', name, sql }
}

/** A connection that may hold half a transaction. Whoever handles errors softly must rethrow it; the adapter discards the connection. */
export class BrokenConnection extends MergelawError {
  override readonly name = 'BrokenConnection'
}

/**
 * Runs a body in one transaction (BEGIN IMMEDIATE on SQLite): committed when it returns, rolled back when it throws.
 *
 * BEGIN stands inside the try, because its answer can be lost after it took effect. A rollback that fails leaves a connection in an
 * unknown state, which is its own error and never swallowed.
 */
export function* transaction<T>(name: string, body: () => Program<T>): Program<T> {
  try {
    yield { kind: 'begin', name: `${name}: begin` }
    const result = yield* body()
    yield { kind: 'commit', name: `${name}: commit` }
    return result
  } catch (error) {
    if (error instanceof BrokenConnection) throw error
    yield* rollback(name, error)
    throw error
  }
}

function* rollback(name: string, reason: unknown): Program<void> {
  try {
    yield { kind: 'rollback', name: `${name}: rollback` }
  } catch (error) {
    throw new BrokenConnection('connection', `Could not roll back "${name}"; the connection is given up.`, {
      cause: error,
      details: { reason },
    })
  }
}

/**
 * Runs a program and returns its error as data, so that what follows still runs; a broken connection is rethrown.
 *
 * Divergence: inside a transaction PostgreSQL refuses every statement after a failed one, and its commit fails; SQLite goes on.
 */
export function* attempt<T>(program: Program<T>): Program<Either<MergelawError, T>> {
  try {
    return right(yield* program)
  } catch (error) {
    if (error instanceof MergelawError && !(error instanceof BrokenConnection)) return left(error)
    throw error
  }
}
