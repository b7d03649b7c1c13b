import { isLeft } from 'fp-ts/lib/Either.js'
import { type Program, transaction } from '../adapters/program.ts'
import { type Dialect, type Ran, run, type Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { type Contract, type Incoming, type Stored, type Tuple, toRow, type Value } from '../rules/index.ts'
import { takeLock } from './lock.ts'
import { refusal } from './refusal.ts'
import { type Table, tableOf } from './table.ts'

/** What became of the rows that were not stored, by their position in the input; every other row is stored. */
export interface NotStored {
  readonly at: number
  /** `row`: the contract refused it. Any other code is the database's. */
  readonly error: MergelawError
}

/** A contract's table on a session: at once on better-sqlite3, as promises on pg. */
export interface OpenTable<Of extends Contract, S extends Session> {
  /** Creates the table and its indexes where they are missing. */
  create(): Ran<S, void>
  /** Merges one row into the stored one. Throws MergelawError `row` (naming column, value and what to do) or the database's error. */
  upsert(incoming: Incoming<Of>): Ran<S, void>
  /**
   * Merges many rows, in one transaction, with the outcome of merging them one by one. A row that is refused does not take the
   * others with it; the answer names it. Throws what is no row's fault (a lost connection, a missing table); its `details.positions`
   * are the rows that are not stored.
   */
  upsertAll(incoming: Iterable<Incoming<Of>>): Ran<S, readonly NotStored[]>
  /**
   * Rows in read order, all of them or those that equal `where` in the columns it names; an instant there may have any spelling.
   *
   * Throws MergelawError `usage` for a column that is not there, `row` for a value of another type.
   */
  list(where?: Partial<Stored<Of>>): Ran<S, readonly Stored<Of>[]>
}

/**
 * Opens a contract's table on a session; where most programs start.
 *
 * Incoming rows go through the contract's normaliser. SQL: `renderSchema`, `renderUpsert`, `renderSelect`.
 */
export const openTable = <Of extends Contract, S extends Session>(session: S, contract: Of): OpenTable<Of, S> => {
  const table = tableOf(contract, session.dialect)
  const { upsertAll } = table
  const { names, normalise } = table.reducer
  // The codec gives every column its declared type: that is what Stored says.
  const row = (tuple: Tuple): Stored<Of> => toRow(names, tuple) as Stored<Of>
  return {
    create: () => run(session, createAlone(session.dialect, table)),
    upsert: (incoming) =>
      run(
        session,
        (function* (): Program<void> {
          const normalised = normalise(incoming)
          if (isLeft(normalised)) throw refusal(normalised.left)
          yield* table.upsert(normalised.right.tuple)
        })(),
      ),
    upsertAll: (incoming) =>
      run(
        session,
        (function* (): Program<readonly NotStored[]> {
          const refused: NotStored[] = []
          const tuples: Tuple[] = []
          const positions: number[] = []
          for (const [at, sent] of [...incoming].entries()) {
            const normalised = normalise(sent)
            if (isLeft(normalised)) refused.push({ at, error: refusal(normalised.left) })
            else positions[tuples.push(normalised.right.tuple) - 1] = at
          }
          const { failed, lost } = yield* upsertAll(tuples)
          const place = (at: number): number => positions[at] ?? at
          if (lost !== undefined) throw withPositions(lost.error, lost.positions.map(place))
          const byPosition = [...refused, ...failed.map(({ at, error }) => ({ at: place(at), error }))]
          return byPosition.toSorted((a, b) => a.at - b.at)
        })(),
      ),
    list: (where = {}) =>
      run(
        session,
        (function* (): Program<readonly Stored<Of>[]> {
          // A Stored row's values are what Value says.
          return (yield* table.list({ where: where as Readonly<Record<string, Value>> })).map(row)
        })(),
      ),
  }
}

/** PostgreSQL fails where two processes create one table at once, IF NOT EXISTS or not; SQLite has one writer at a time anyway. */
const createAlone = (dialect: Dialect, table: Table): Program<void> =>
  dialect === 'sqlite'
    ? table.create()
    : transaction('create', function* () {
        yield* takeLock(dialect)
        yield* table.create()
      })

const withPositions = ({ code, message, details, cause }: MergelawError, positions: readonly number[]): MergelawError =>
  new MergelawError(code, message, { details: { ...details, positions }, cause })
