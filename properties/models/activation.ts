/** An installation as the spec speaks of it: sessions, messages, rows and keys; no SQL, no merge, and nothing from src but types. */
import type { Message } from '../../src/subagents/index.ts'
import type { Action, Beginning } from '../arbitraries/activations.ts'

export interface ModelRow {
  readonly session: string
  /** Null where the column is not there yet, or holds nothing. */
  readonly execution: string | null
  readonly tool: string
  readonly source: string
  /** Canonical. */
  readonly observed: string
}

export interface ModelMessage extends Message {
  readonly id: string
  readonly task_session_id: string
  readonly created_at: string
  readonly tool: string
  readonly qualifies: boolean
}

export interface World {
  readonly shape: 'none' | 'former' | 'between' | 'ours'
  readonly sessions: readonly string[]
  readonly messages: readonly ModelMessage[]
  readonly rows: readonly ModelRow[]
}

const former = (session: string, tool: string, observed: string): ModelRow => ({
  session,
  execution: null,
  tool,
  source: 'live',
  observed,
})

/** The rows that `formerRows` of the tests inserts. */
const FORMER_ROWS = [
  former('s1', 't1', '2026-08-03T15:32:20.123456Z'),
  former('s1', 't2', '2026-08-03T15:32:20.100000Z'),
  former('s2', 't1', '2026-08-04T00:00:00.000000Z'),
]

export const worldOf = (begins: Beginning, sessions: readonly string[]): World => ({
  shape: begins === 'host' ? 'none' : begins === 'predecessor' ? 'former' : 'between',
  sessions,
  messages: [],
  rows: begins === 'host' ? [] : FORMER_ROWS,
})

const METADATA: Readonly<Record<Extract<Action, { do: 'message' }>['kind'], (tool: string) => string>> = {
  subagent: (tool) => JSON.stringify({ tool_call_id: tool, normalized: { kind: 'subagent_task', subagent_task: {} } }),
  'no task': (tool) => JSON.stringify({ tool_call_id: tool, normalized: { kind: 'subagent_task', subagent_task: {} } }),
  other: (tool) => JSON.stringify({ tool_call_id: tool, normalized: { kind: 'execute' } }),
  empty: () => '',
}

/** A message of this instant. */
export const messageOf = (
  { session, tool, kind }: Extract<Action, { do: 'message' }>,
  id: string,
  now: string,
): ModelMessage => ({
  id,
  task_session_id: session,
  task_id: kind === 'no task' ? '' : 'k',
  turn_id: 'u',
  metadata: METADATA[kind](tool),
  created_at: now,
  updated_at: now,
  tool,
  qualifies: kind === 'subagent',
})

export const withoutSession = (world: World, session: string): World => ({
  ...world,
  sessions: world.sessions.filter((name) => name !== session),
  messages: world.messages.filter(({ task_session_id }) => task_session_id !== session),
  rows: world.rows.filter((row) => row.session !== session),
})

/** AC-3, AC-32, AC-33a: a frame is stored where its session is there and the table's key can take it. */
export const isStored = (
  { shape, sessions, rows }: World,
  { session, execution, tool }: Extract<Action, { do: 'frame' }>,
): boolean => {
  if (!sessions.includes(session)) return false
  if (shape === 'ours') return true
  // Between, the old key still stands beside the new one: any other execution of the tool call is refused.
  const same = rows.filter((row) => row.session === session && row.tool === tool)
  return shape === 'between' && same.every((row) => row.execution === (execution || 'unknown'))
}

export const withFrame = (
  world: World,
  { session, execution, tool }: Extract<Action, { do: 'frame' }>,
  observed: string,
): World => {
  const row: ModelRow = { session, execution: execution || 'unknown', tool, source: 'live', observed }
  return { ...world, rows: withNewRows(world.rows, [row]) }
}

/** What is there stays as it is: `source` and `observed_at` are write-once. */
const withNewRows = (rows: readonly ModelRow[], added: readonly ModelRow[]): readonly ModelRow[] => [
  ...rows,
  ...added.filter((row) => !rows.some((old) => keyOf(old) === keyOf(row))),
]
const keyOf = ({ session, execution, tool }: ModelRow): string => JSON.stringify([session, execution, tool])

/** AC-33 clause 5. */
export const upgraded = (world: World): World => ({
  ...world,
  shape: 'ours',
  rows: world.rows.map((row) => ({ ...row, execution: row.execution ?? 'unknown' })),
})

/** AC-21, AC-21b, AC-22: a row for each subagent that a message tells of and that has no row under the sentinel. */
export const backfilled = (world: World): World => {
  const newestFirst = [...world.messages.filter(({ qualifies }) => qualifies)].reverse()
  const rows = newestFirst
    .filter(
      (one, at) =>
        newestFirst.findIndex((other) => other.tool === one.tool && other.task_session_id === one.task_session_id) === at,
    )
    .map(
      (one): ModelRow => ({
        session: one.task_session_id,
        execution: 'unknown',
        tool: one.tool,
        source: 'backfill',
        observed: one.created_at,
      }),
    )
  return { ...world, rows: withNewRows(world.rows, rows) }
}

/** AC-24 point 1, AC-24f: from the source predicate, with nine digits. */
export const throughOf = ({ messages }: World): string =>
  messages
    .filter(({ qualifies }) => qualifies)
    .map(({ created_at }) => `${created_at.slice(0, -1)}000Z`)
    .sort()
    .at(-1) ?? ''

/** AC-25: rows by whether they carry an identity, the others by execution_since; `since` canonical, undefined while the key is absent. */
export const populationOf = ({ rows }: World, since: string | undefined) => {
  const unknown = rows.filter(({ execution }) => execution === null || execution === 'unknown')
  const later = since === undefined ? [] : unknown.filter(({ observed }) => observed >= since)
  return {
    total: rows.length,
    known: rows.length - unknown.length,
    unknownBefore: unknown.length - later.length,
    unknownSince: later.length,
  }
}
