/** Whoever can play frames and show the table and the counters after each: the reducer alone, and the writer on a database. */
import type { Program, Step } from '../../src/index.ts'
import { tableOf } from '../../src/index.ts'
import { createReplay, createWriter, initialise, insertSession, listAll, subagentContexts } from '../../src/subagents/index.ts'
import { type FrameHistory, SESSIONS } from '../arbitraries/frames.ts'
import { backfilledId, clockAt, idAt, type ModelState } from '../models/subagents.ts'
import type { LiveDatabase } from './databases.ts'
import { type Fault, faultySession } from './fault.ts'
import { inline } from './story.ts'

export interface Player {
  readonly name: string
  /** The sessions that exist, where writing asks for a parent; undefined where it does not. */
  readonly parents: readonly string[] | undefined
  readonly play: (history: FrameHistory) => Promise<Played>
}

export interface Played {
  readonly states: readonly ModelState[]
  /** What was sent to the database, ready to paste; empty where there is none. */
  readonly sql: string
}

export const names = Object.keys(subagentContexts.columns)

/** Time and ids as the model has them: the number of the frame that is being recorded. */
const source = (current: () => number) => ({ clock: { now: () => clockAt(current()) }, newId: () => idAt(current()) })

/** The reducer alone. It has no table, so a history for it begins on an empty one. */
export const replayPlayer: Player = {
  name: 'replay (the reducer)',
  parents: undefined,
  play: async ({ frames }) => {
    let current = 0
    const replay = createReplay(source(() => current))
    const states = frames.map((frame, at): ModelState => {
      current = at
      replay.record(frame)
      return { rows: replay.rows(), counters: { ...replay.counters() } }
    })
    return { states, sql: '' }
  },
}

/** A row that was there before, as the backfill leaves it. */
const backfilledTuples = ({ backfilled }: FrameHistory): readonly (readonly (string | bigint | boolean | null)[])[] =>
  backfilled.map((row, at) => {
    const fields: Readonly<Record<string, string | bigint | null>> = { ...row, source: 'backfill', id: backfilledId(at) }
    const own = { agent_execution_id: 'unknown', is_async: false, updated_at: row.observed_at }
    return names.map((name) => ({ ...fields, ...own })[name] ?? null)
  })

/** The real writer over a real database, with a fault in what the database is told (none by default). */
export const writerPlayer = async (database: LiveDatabase, fault: Fault = (sql) => sql): Promise<Player> => {
  const sent: string[] = []
  const note = (step: Step): void => void ('params' in step && sent.push(`${inline(step.sql, step.params)};`))
  const session = faultySession(database.session, fault, note)
  const run = async <T>(program: Program<T>): Promise<T> => session.run(program)
  await run(initialise(session.dialect))
  const addParent = insertSession(session.dialect)
  for (const id of SESSIONS) await run(addParent({ id, task_id: 't1' }))
  const table = tableOf(subagentContexts, session.dialect)
  return {
    name: `the writer on ${database.name}`,
    parents: SESSIONS,
    play: async (history) => {
      let current = 0
      await run(emptied())
      sent.length = 0
      for (const tuple of backfilledTuples(history)) await run(table.upsert(tuple))
      const writer = createWriter(session, { ...source(() => current), log: { warn: () => undefined } })
      const states: ModelState[] = []
      for (const [at, frame] of history.frames.entries()) {
        current = at
        await writer.record(frame)
        states.push({ rows: await listAll(session), counters: { ...writer.counters() } })
      }
      return { states, sql: sent.join('\n') }
    },
  }
}

function* emptied(): Program<void> {
  yield { kind: 'script', name: 'empty the table', sql: `DELETE FROM ${subagentContexts.table}` }
}
