import { codecOf, compileReducer } from '../../src/index.ts'
import { createWriter, subagentContexts } from '../../src/subagents/index.ts'
import { bind, foldByHand, upsertSql } from '../by-hand.ts'
import { withSqlite } from '../databases.ts'
import { frames } from '../frames.ts'
import { type Side, timed } from '../measure.ts'
import { drizzleOver, upsertWithDrizzle } from '../opponents/drizzle.ts'
import { knexOver, upsertWithKnex } from '../opponents/knex.ts'
import { kyselyOver, upsertWithKysely } from '../opponents/kysely.ts'

const log = { warn: (fields: object): void => console.error(fields) }
const SINGLE = 10_000
/** Frames that are recorded before the clock starts, so that both sides run as compiled code. */
const WARM = 3_000

/** One frame at a time, each its own transaction. */
export const single =
  (
    perFrame: (open: Parameters<Parameters<typeof withSqlite>[0]>) => (frame: ReturnType<typeof frames>[number]) => unknown,
  ): Side =>
  () =>
    withSqlite(async (...open) => {
      const record = perFrame(open)
      const all = frames(SINGLE + WARM)
      let isAsync = false
      for (const frame of all.slice(0, WARM)) {
        const answer = record(frame)
        isAsync = answer instanceof Promise
        await answer
      }
      const rest = all.slice(WARM)
      return timed(rest.length, async () => {
        // A synchronous side is not made to wait for a promise.
        if (isAsync) for (const frame of rest) await record(frame)
        else for (const frame of rest) record(frame)
      })
    })

export const recordOurs = single(([, session]) => {
  const writer = createWriter(session, { log })
  return (frame) => writer.record(frame)
})
export const recordByHand = single(([db]) => {
  const statement = db.prepare(upsertSql('sqlite'))
  return (frame) => statement.run(bind(frame))
})
export const recordKysely = single(([db]) => {
  const kysely = kyselyOver(db)
  return (frame) => upsertWithKysely(kysely, frame)
})
export const recordDrizzle = single(([db]) => {
  const drizzle = drizzleOver(db)
  return (frame) => upsertWithDrizzle(drizzle, frame)
})
export const recordKnex = single(([, , file]) => {
  const knex = knexOver(file)
  return (frame) => upsertWithKnex(knex, frame)
})

/** Many frames: both sides have run once, on a file of their own, before the clock starts. */
const many =
  (
    count: number,
    perRow: number,
    body: (open: Parameters<Parameters<typeof withSqlite>[0]>, list: ReturnType<typeof frames>) => unknown,
  ): Side =>
  async () => {
    await withSqlite((...open) => body(open, frames(Math.max(count, 20_000), perRow)))
    return withSqlite((...open) => {
      const list = frames(count, perRow)
      return timed(list.length, () => body(open, list))
    })
  }

/** The time of all frames together, for cases that compare one amount with another. */
export const whole =
  (side: Side): Side =>
  async () => ({ ...(await side()), amount: 1 })

export const recordAllOurs = (count: number, perRow = 6): Side =>
  many(count, perRow, ([, session], list) => void createWriter(session, { log }).recordAll(list))

export const recordAllByHand = (count: number, perRow = 6): Side =>
  many(count, perRow, ([db], list) => {
    const statement = db.prepare(upsertSql('sqlite'))
    db.exec('BEGIN IMMEDIATE')
    for (const frame of list) statement.run(bind(frame))
    db.exec('COMMIT')
  })

export const recordAllKysely = (count: number): Side =>
  many(count, 6, async ([db], list) => {
    const kysely = kyselyOver(db)
    await kysely.transaction().execute(async (transaction) => {
      for (const frame of list) await upsertWithKysely(transaction as typeof kysely, frame)
    })
  })

/**
 * The rows that remain after folding, through one prepared statement in one transaction; folding them is not timed. Rows of the first
 * run are not used again: a text that was bound once is bound faster.
 */
export const recordAllFloor =
  (count: number): Side =>
  async () => {
    const fold = () => foldByHand(frames(count).map((frame) => bind(frame)))
    const run = (db: Parameters<Parameters<typeof withSqlite>[0]>[0], folded: ReturnType<typeof fold>): void => {
      const statement = db.prepare(upsertSql('sqlite'))
      db.exec('BEGIN IMMEDIATE')
      for (const row of folded) statement.run(row)
      db.exec('COMMIT')
    }
    await withSqlite((db) => run(db, fold()))
    return withSqlite((db) => {
      const folded = fold()
      return timed(count, () => run(db, folded))
    })
  }

/** The reducer alone, on rows that are normalised already. */
const inMemory =
  (fold: (rows: readonly (string | bigint | boolean | null)[][]) => unknown): Side =>
  async () => {
    const { decode } = codecOf(subagentContexts, 'sqlite')
    const rows = frames(60_000).map((frame) => [
      ...decode(bind(frame).map((value) => (typeof value === 'number' ? BigInt(value) : value))),
    ])
    for (let warm = 0; warm < 5; warm++) fold(rows)
    return timed(rows.length, () => fold(rows))
  }

export const reducerOurs = inMemory((rows) => compileReducer(subagentContexts).fold(rows))
export const reducerByHand = inMemory((rows) => foldByHand(rows))
