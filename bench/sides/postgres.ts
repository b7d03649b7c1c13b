import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createWriter, subagentContexts } from '../../src/subagents/index.ts'
import { type Bound, bind, foldByHand, upsertSql } from '../by-hand.ts'
import { withPostgres } from '../databases.ts'
import { frames } from '../frames.ts'
import { type Side, timed } from '../measure.ts'

const log = { warn: (fields: object): void => console.error(fields) }
const SINGLE = 4_000
/** As many as compile both sides: a writer runs for days. */
const WARM = 3_000

type Record1 = (frame: ReturnType<typeof frames>[number]) => Promise<unknown>

const single =
  (perFrame: (pool: pg.Pool, session: Parameters<Parameters<typeof withPostgres>[0]>[1]) => Promise<Record1>): Side =>
  () =>
    withPostgres(async (pool, session) => {
      const record = await perFrame(pool, session)
      const all = frames(SINGLE + WARM)
      for (const frame of all.slice(0, WARM)) await record(frame)
      const rest = all.slice(WARM)
      return timed(rest.length, async () => {
        for (const frame of rest) await record(frame)
      })
    })

export const recordOurs = single(async (_pool, session) => {
  const writer = createWriter(session, { log })
  return (frame) => writer.record(frame)
})

/** Through the same pool: that is how an application reaches its server. */
export const recordByHand = single(async (pool) => {
  const text = upsertSql('postgres')
  return (frame) => pool.query({ name: 'upsert', text, values: bind(frame, 'postgres') })
})

const many =
  (
    count: number,
    body: (open: Parameters<Parameters<typeof withPostgres>[0]>, list: ReturnType<typeof frames>) => Promise<unknown>,
  ): Side =>
  async () => {
    await withPostgres((...open) => body(open, frames(count)))
    return withPostgres((...open) => {
      const list = frames(count)
      return timed(list.length, () => body(open, list))
    })
  }

export const recordAllOurs = (count: number): Side =>
  many(count, async ([, session], list) => createWriter(session, { log }).recordAll(list))

const inTransaction = async (pool: pg.Pool, body: (client: pg.PoolClient) => Promise<void>): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await body(client)
    await client.query('COMMIT')
  } finally {
    client.release()
  }
}

export const recordAllByHand = (count: number): Side =>
  many(count, ([pool], list) =>
    inTransaction(pool, async (client) => {
      const text = upsertSql('postgres')
      for (const frame of list) await client.query({ name: 'upsert', text, values: bind(frame, 'postgres') })
    }),
  )

const table = subagentContexts.table
const columns = Object.keys(subagentContexts.columns)
/** The upsert of one row, fed by a table instead. */
const upsertFrom = (source: string): string =>
  upsertSql('postgres').replace(/VALUES \([\s\S]*?\n\)/, `SELECT ${columns.join(', ')} FROM ${source}`)

const copyField = (value: Bound[number]): string =>
  value === null
    ? '\\N'
    : String(value).replace(
        /[\\\t\n\r]/g,
        (character) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[character] ?? character,
      )

/** Fold by hand, COPY into a temporary table, INSERT … SELECT. */
export const recordAllCopy = (count: number): Side =>
  many(count, ([pool], list) =>
    inTransaction(pool, async (client) => {
      const folded = foldByHand(list.map((frame) => bind(frame, 'postgres')))
      await client.query(`CREATE TEMPORARY TABLE incoming (LIKE ${table}) ON COMMIT DROP`)
      const lines = folded.map((row) => `${row.map(copyField).join('\t')}\n`).join('')
      await pipeline(Readable.from([lines]), client.query(copyFrom(`COPY incoming (${columns.join(', ')}) FROM STDIN`)))
      await client.query(upsertFrom('incoming'))
    }),
  )
