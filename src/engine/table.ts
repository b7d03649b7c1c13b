import { execute, type Program, query, script } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { type Contract, compileReducer, type Tuple, type TupleReducer, toTuple, type Value } from '../rules/index.ts'
import { codecOf } from '../sql-render/codec.ts'
import { renderSchema, renderSelect, renderUpsert } from '../sql-render/render.ts'
import { compileUpsertAll, type UpsertAll } from './batch.ts'
import { compileWhere } from './where.ts'

export interface ListOptions {
  /**
   * Columns and the values they must equal: an instant in any spelling, text by the policy for stored text, null for "holds NULL".
   * A column that is set to undefined is not asked for.
   */
  readonly where?: Readonly<Record<string, Value>>
  readonly orderBy?: readonly string[]
}

/** A contract's table on one database, as programs for a session to run. */
export interface Table {
  readonly contract: Contract
  readonly reducer: TupleReducer
  /** Creates the table and its indexes where they are missing. */
  create(): Program<void>
  /** Merges one normalised row into the stored one: a single statement, prepared once. */
  upsert(row: Tuple): Program<void>
  /** The same, and the row as it stands afterwards; undefined where a contract never changes a stored row (DO NOTHING). */
  upsertReturning(row: Tuple): Program<Tuple | undefined>
  /**
   * Merges many normalised rows in one transaction, with the outcome of merging them one by one: use it for more than a handful.
   * Refused ('usage') inside a transaction, since it opens its own.
   */
  readonly upsertAll: UpsertAll
  /** Rows in read order. Throws 'usage' for a column that is not there, 'row' for a value of another type. */
  list(options?: ListOptions): Program<readonly Tuple[]>
}

/** Renders a contract's statements for a dialect once, and gives the programs that run them. */
export const tableOf = (contract: Contract, dialect: Dialect): Table => {
  const codec = codecOf(contract, dialect)
  const schema = renderSchema(contract, dialect)
  const upsert = renderUpsert(contract, dialect)
  const returning = renderUpsert(contract, dialect, { returning: true })
  const names = Object.keys(contract.columns)
  const lookUp = compileWhere(contract)
  const named = (what: string): string => `${what} ${contract.table}`
  return {
    contract,
    reducer: compileReducer(contract),
    upsertAll: compileUpsertAll(contract, dialect),
    create: () => script(named('create'), schema),
    *upsert(row) {
      yield* execute(named('upsert'), upsert.sql, codec.encode(row))
    },
    *upsertReturning(row) {
      const [merged] = yield* query(named('upsert'), returning.sql, codec.encode(row), codec.decode)
      return merged
    },
    *list({ where: sent = {}, orderBy } = {}) {
      const where = lookUp(sent)
      const wanted = where.filter(([, value]) => value !== null)
      const { sql } = renderSelect(contract, dialect, {
        where: wanted.map(([name]) => name),
        whereNull: where.filter(([, value]) => value === null).map(([name]) => name),
        ...(orderBy === undefined ? {} : { orderBy }),
      })
      const encoded = codec.encode(toTuple(names, Object.fromEntries(wanted)))
      return yield* query(
        named('list'),
        sql,
        wanted.map(([name]) => encoded[names.indexOf(name)] ?? null),
        codec.decode,
      )
    },
  }
}
