import { execute, type Program, runMany, type SqlValue } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { type Contract, compileReducer, keyTextOf, lawsOf, type Tuple } from '../rules/index.ts'
import { codecOf } from '../sql-render/codec.ts'
import { renderUpsert } from '../sql-render/render.ts'
import { chunksOf } from './chunk.ts'
import type { Entry } from './entries.ts'

/** How rows of one contract reach one database: the same upsert for one row and for many. */
export interface Write {
  readonly one: (row: Tuple) => Program<number>
  /** Rows in order. An error of SQLite tells the position of its row in the chunk, `details.row`. */
  readonly many: (entries: readonly Entry[], progress: Progress) => Program<void>
}

export interface Progress {
  /** Where the chunk that is being written begins. */
  chunkAt: number
}

/** Renders the statements once; `chunk` rows go into one step at most, so that their encoded form is soon garbage. */
export const compileWrite = (contract: Contract, dialect: Dialect): ((chunk: number) => Write) => {
  const codec = codecOf(contract, dialect)
  const { sql } = renderUpsert(contract, dialect)
  const name = `upsert ${contract.table}`
  const one = (row: Tuple): Program<number> => execute(name, sql, codec.encode(row))
  const encode = (entries: readonly Entry[]): readonly (readonly SqlValue[])[] => entries.map(({ row }) => codec.encode(row))
  const arrays = dialect === 'postgres' ? renderUpsert(contract, dialect, { arrays: true }).sql : ''
  const write = (part: readonly Entry[]): Program<number> =>
    dialect === 'sqlite' ? runMany(name, sql, encode(part)) : execute(name, arrays, codec.encodeArrays(encode(part)))
  const chunks = compileChunks(contract, dialect)
  return (chunk) => ({
    one,
    *many(entries, progress) {
      progress.chunkAt = 0
      for (const part of chunks(entries, chunk)) {
        yield* write(part)
        progress.chunkAt += part.length
      }
    },
  })
}

/** Folded rows have keys of their own; rows that may not be folded can share one, which only a statement of many rows minds. */
const compileChunks = (
  contract: Contract,
  dialect: Dialect,
): ((entries: readonly Entry[], size: number) => readonly (readonly Entry[])[]) => {
  if (dialect === 'sqlite' || lawsOf(contract).contract.includes('foldable')) return (entries, size) => chunksOf(entries, size)
  const { names } = compileReducer(contract)
  const keyOf = keyTextOf(contract.key.map((name) => names.indexOf(name)))
  return (entries, size) => chunksOf(entries, size, ({ row }) => keyOf(row))
}
