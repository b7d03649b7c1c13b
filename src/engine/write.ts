import { execute, type Program, runMany } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { type Contract, compileReducer, keyTextOf, lawsOf, type Tuple } from '../rules/index.ts'
import { codecOf, renderUpsert } from '../sql-render/index.ts'
import { chunksOf } from './chunk.ts'
import type { Entry } from './entries.ts'

/** How rows of one contract reach one database: the same upsert for one row and for many. */
export interface Write {
  readonly one: (row: Tuple) => Program<number>
  /** Rows in order. On SQLite an error carries the position of its row as `details.row`. */
  readonly many: (entries: readonly Entry[]) => Program<void>
}

/** Renders the statements once; `chunk` rows go into one statement at most. */
export const compileWrite = (contract: Contract, dialect: Dialect): ((chunk: number) => Write) => {
  const codec = codecOf(contract, dialect)
  const { sql } = renderUpsert(contract, dialect)
  const name = `upsert ${contract.table}`
  const one = (row: Tuple): Program<number> => execute(name, sql, codec.encode(row))
  if (dialect === 'sqlite') {
    const many: Write['many'] = function* (entries) {
      yield* runMany(
        name,
        sql,
        entries.map(({ row }) => codec.encode(row)),
      )
    }
    return () => ({ one, many })
  }
  const arrays = renderUpsert(contract, dialect, { arrays: true }).sql
  const chunks = compileChunks(contract)
  return (chunk) => ({
    one,
    *many(entries) {
      for (const part of chunks(entries, chunk)) {
        yield* execute(name, arrays, codec.encodeArrays(part.map(({ row }) => codec.encode(row))))
      }
    },
  })
}

/** Folded rows have keys of their own; rows that may not be folded can share one. */
const compileChunks = (contract: Contract): ((entries: readonly Entry[], size: number) => readonly (readonly Entry[])[]) => {
  if (lawsOf(contract).contract.includes('foldable')) return (entries, size) => chunksOf(entries, size)
  const { names } = compileReducer(contract)
  const keyOf = keyTextOf(contract.key.map((name) => names.indexOf(name)))
  return (entries, size) => chunksOf(entries, size, ({ row }) => keyOf(row))
}
