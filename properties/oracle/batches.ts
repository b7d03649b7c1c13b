/** The same rows one by one and in batches: the same table and the same outcomes, or there is a story to tell. */
import { type Contract, type Program, renderSchema, type Session, type Tuple, tableOf, type UpsertAll } from '../../src/index.ts'
import {
  createWriter,
  initialise,
  insertSession,
  listAll,
  type Recorded,
  subagentContexts,
  type Writer,
  type WriterOptions,
} from '../../src/subagents/index.ts'
import { answering } from '../../test/support/stepping.ts'
import { type FrameJson, SESSIONS } from '../arbitraries/frames.ts'
import { clockAt, idAt } from '../models/subagents.ts'
import { firstDifference } from './compare.ts'
import type { LiveDatabase } from './databases.ts'
import { toJson } from './json.ts'
import { Divergence } from './run-and-compare.ts'

/** Cuts a list at places that are numbers modulo its length; an empty batch is one too. */
const cut = <T>(list: readonly T[], places: readonly number[]): readonly (readonly T[])[] => {
  const ends = [...places.map((place) => place % (list.length + 1)), list.length].toSorted((a, b) => a - b)
  return ends.map((end, at) => list.slice(ends[at - 1] ?? 0, end))
}

export interface BatchCase {
  readonly contract: Contract
  readonly rows: readonly Tuple[]
  readonly places: readonly number[]
  readonly chunk: number
}

/** Throws Divergence when batches leave another table than the rows one by one, or an outcome is missing or twice. */
export const compareBatches = async (
  given: BatchCase,
  databases: readonly LiveDatabase[],
  wrong: Wrong = right,
): Promise<void> => {
  for (const database of databases) await compareOn(given, database, wrong)
}

/** Makes a wrong engine of the real one. */
type Wrong = (contract: Contract, upsertAll: UpsertAll) => UpsertAll
const right: Wrong = (_contract, upsertAll) => upsertAll

const compareOn = async (
  { contract, rows, places, chunk }: BatchCase,
  { name, session }: LiveDatabase,
  wrong: Wrong,
): Promise<void> => {
  const table = tableOf(contract, session.dialect)
  const run = async <T>(program: Program<T>): Promise<T> => session.run(program)
  const upsertAll = wrong(contract, table.upsertAll)
  const drop = (): Promise<void> => run(dropped(contract, session.dialect))
  await run(table.create())
  for (const row of rows) await run(table.upsert(row))
  const expected = await run(table.list())
  await drop()
  await run(table.create())
  try {
    for (const batch of cut(rows, places)) {
      const told: number[] = []
      const onPersisted = (_row: Tuple, positions: readonly number[]): void => void told.push(...positions)
      const { failed, lost } = await run(upsertAll(batch, { chunk, onPersisted }))
      if (failed[0] ?? lost)
        throw new Divergence(`${name} refuses what it took one by one: ${(failed[0] ?? lost)?.error.message}`)
      const all = [...batch.keys()]
      if (toJson(told.toSorted((a, b) => a - b)) !== toJson(all))
        throw new Divergence(`${name} tells ${toJson(told)} of ${all.length} rows`)
    }
    const difference = firstDifference(Object.keys(contract.columns), expected, await run(table.list()))
    if (difference !== undefined) throw new Divergence(`${name}, in batches, differs from one by one: ${toJson(difference)}`)
  } finally {
    await drop()
  }
}

/** The name as the library quotes it. */
const CREATED = /CREATE TABLE IF NOT EXISTS ("(?:[^"]|"")*")/

function* dropped(contract: Contract, dialect: 'sqlite' | 'postgres'): Program<void> {
  yield { kind: 'script', name: 'drop', sql: `DROP TABLE ${CREATED.exec(renderSchema(contract, dialect))?.[1]}` }
}

/** What a table, a writer and its log show in the end. */
interface Shown {
  readonly rows: unknown
  readonly outcomes: readonly unknown[]
  readonly counters: unknown
  readonly warnings: number
}

export interface FrameBatches {
  readonly name: string
  /** Throws Divergence when `recordAll` shows anything else than `record`. */
  readonly compare: (frames: readonly FrameJson[], places: readonly number[]) => Promise<void>
}

/** Plays frames with `record` and with `recordAll` on one database, ids and time told by the number of rows so far. */
export const frameBatches = async (
  { name, session }: LiveDatabase,
  change: (writer: Writer<typeof session>) => Writer<typeof session> = (writer) => writer,
): Promise<FrameBatches> => {
  const run = async <T>(program: Program<T>): Promise<T> => session.run(program)
  await run(initialise(session.dialect))
  for (const id of SESSIONS) await run(insertSession(session.dialect)({ id, task_id: 't1' }))
  const show = async (play: (writer: Writer<typeof session>) => Promise<readonly Recorded[]>): Promise<Shown> => {
    await run(emptied())
    let warnings = 0
    const writer = change(createWriter(session, { ...source(), log: { warn: () => void warnings++ } }))
    const outcomes = await play(writer)
    return { rows: await listAll(session), outcomes: outcomes.map(comparable), counters: writer.counters(), warnings }
  }
  const compare: FrameBatches['compare'] = async (frames, places) => {
    const expected = await show(async (writer) => {
      const outcomes: Recorded[] = []
      for (const frame of frames) outcomes.push(await writer.record(frame))
      return outcomes
    })
    const shown = await show(async (writer) => {
      const outcomes: Recorded[] = []
      for (const batch of cut(frames, places)) outcomes.push(...(await writer.recordAll(batch)))
      return outcomes
    })
    for (const what of ['rows', 'outcomes', 'counters', 'warnings'] as const) {
      const [left, right] = [toJson(expected[what]), toJson(shown[what])]
      if (left !== right) throw new Divergence(`${name}: ${what} differ:\n  one by one ${left}\n  in batches ${right}`)
    }
  }
  return { name, compare }
}

const source = (): Pick<WriterOptions, 'clock' | 'newId'> => {
  let rows = 0
  return { clock: { now: () => clockAt(rows) }, newId: () => idAt(rows++) }
}

/** Messages name the step, which differs; what went wrong does not. */
const comparable = (outcome: Recorded): unknown =>
  outcome.outcome === 'failed' ? { ...outcome, error: outcome.error.code } : outcome

function* emptied(): Program<void> {
  yield { kind: 'script', name: 'empty the table', sql: `DELETE FROM ${subagentContexts.table}` }
}

/** A session whose errors are passed through a function on their way to the program. */
export const swallowing = (session: Session, alter: (error: unknown) => unknown): Session =>
  answering(session, function* (step) {
    try {
      return yield step
    } catch (error) {
      throw alter(error)
    }
  })
