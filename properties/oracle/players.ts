/** Whoever can play frames and show the table and the counters after each: the reducer alone, and the writer on a database. */
import type { Program, Session, Step } from '../../src/index.ts'
import { tableOf } from '../../src/index.ts'
import {
  createReplay,
  createWriter,
  initialise,
  insertSession,
  listAll,
  listBySession,
  listByTurn,
  subagentContexts,
  type Writer,
} from '../../src/subagents/index.ts'
import { type FrameHistory, type FrameJson, SESSIONS, TURNS } from '../arbitraries/frames.ts'
import { backfilledId, clockAt, idAt, type ModelState } from '../models/subagents.ts'
import type { LiveDatabase } from './databases.ts'
import { changedSession } from './fault.ts'
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
  /** AC-13, until something else is played: the rows of each session and of each turn, by `session s1`, `turn u1`. */
  readonly lists: () => Promise<Lists>
}

export type Lists = Readonly<Record<string, ModelState['rows']>>

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
    return { states, sql: '', lists: async () => ({}) }
  },
}

/** A row that was there before, as the backfill leaves it. */
const backfilledTuples = ({ backfilled }: FrameHistory): readonly (readonly (string | bigint | boolean | null)[])[] =>
  backfilled.map((row, at) => {
    const fields: Readonly<Record<string, string | bigint | null>> = { ...row, source: 'backfill', id: backfilledId(at) }
    const own = { agent_execution_id: 'unknown', is_async: false, updated_at: row.observed_at }
    return names.map((name) => ({ ...fields, ...own })[name] ?? null)
  })

/** What a planted fault may change: what the database is told, what happens before a frame, what the writer answers. */
export interface Plant {
  readonly change?: (step: Step, frame: FrameJson | undefined) => Step
  readonly before?: (frame: FrameJson) => Program<unknown>
  readonly wrap?: (writer: Pick<Writer<Session>, 'record' | 'counters'>) => Pick<Writer<Session>, 'record' | 'counters'>
}

/** The real writer over a real database, with nothing planted unless a mutant asks for it. */
export const writerPlayer = async (database: LiveDatabase, { change, before, wrap }: Plant = {}): Promise<Player> => {
  const sent: string[] = []
  let frame: FrameJson | undefined
  const note = (step: Step): void => {
    if ('params' in step) sent.push(`${inline(step.sql, step.params)};`)
  }
  const session = changedSession(database.session, (step) => change?.(step, frame) ?? step, note)
  await setUp(session)
  const run = async <T>(program: Program<T>): Promise<T> => session.run(program)
  return {
    name: `the writer on ${database.name}`,
    parents: SESSIONS,
    play: async (history) => {
      let current = 0
      frame = undefined
      await run(emptied())
      sent.length = 0
      for (const tuple of backfilledTuples(history)) await run(tableOf(subagentContexts, session.dialect).upsert(tuple))
      const real = createWriter(session, { ...source(() => current), log: { warn: () => undefined } })
      const writer = wrap?.(real) ?? real
      const states: ModelState[] = []
      for (const [at, one] of history.frames.entries()) {
        current = at
        frame = one
        if (before !== undefined) await run(before(one))
        await writer.record(one)
        states.push({ rows: await listAll(session), counters: { ...writer.counters() } })
      }
      return { states, sql: sent.join('\n'), lists: () => listsOf(session) }
    },
  }
}

const listsOf = async (session: Session): Promise<Lists> => {
  const lists: Record<string, ModelState['rows']> = {}
  for (const id of SESSIONS) lists[`session ${id}`] = await listBySession(session, id)
  for (const id of TURNS) lists[`turn ${id}`] = await listByTurn(session, id)
  return lists
}

/** A table as `initialise` creates it, whatever an earlier player left, and the parents of the sessions. */
const setUp = async (session: Session): Promise<void> => {
  const run = async <T>(program: Program<T>): Promise<T> => session.run(program)
  await run(script('drop the table', `DROP TABLE IF EXISTS ${subagentContexts.table}`))
  await run(initialise(session.dialect))
  const addParent = insertSession(session.dialect)
  for (const id of SESSIONS) await run(addParent({ id, task_id: 't1' }))
}

function* script(name: string, sql: string): Program<void> {
  yield { kind: 'script', name, sql }
}

const emptied = (): Program<void> => script('empty the table', `DELETE FROM ${subagentContexts.table}`)
