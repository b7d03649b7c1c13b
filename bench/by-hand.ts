/** What a careful application without this library writes: the same rows, no more checks than it needs. */
import { randomUUID } from 'node:crypto'
import { renderUpsert } from '../src/index.ts'
import { subagentContexts } from '../src/subagents/index.ts'
import type { BenchFrame } from './frames.ts'

export const upsertSql = (dialect: 'sqlite' | 'postgres'): string => renderUpsert(subagentContexts, dialect).sql

const TERMINAL = new Set(['complete', 'completed', 'success', 'error', 'failed', 'cancelled'])
const present = (text: string): string | null => (text === '' ? null : text)
const positive = (value: number): number | null => (value > 0 ? value : null)
const ZONE = { sqlite: '+00:00', postgres: '' }

export type Bound = (string | number | null)[]

/** A frame as the upsert binds it, in column order. */
export const bind = (frame: BenchFrame, dialect: 'sqlite' | 'postgres' = 'sqlite'): Bound => {
  const { subagent_task: task } = frame.normalized
  const at = `${frame.observed_at.slice(0, 10)} ${frame.observed_at.slice(11, -1)}${ZONE[dialect]}`
  return [
    randomUUID(),
    frame.task_session_id,
    frame.task_id,
    present(frame.turn_id),
    present(frame.execution_id) ?? 'unknown',
    frame.tool_call_id,
    present(frame.parent_tool_call_id),
    present(task.subagent_type),
    present(task.description),
    present(task.agent_id),
    present(task.child_session_id),
    present(task.model),
    present(task.status),
    present(frame.status),
    task.is_async ? 1 : 0,
    positive(task.total_tokens),
    task.tool_use_count ?? null,
    positive(task.duration_ms),
    'live',
    at,
    TERMINAL.has(frame.status) ? at : null,
    at,
  ]
}

const names = Object.keys(subagentContexts.columns)

/** The same with names, for libraries that want objects. */
export const rowOf = (frame: BenchFrame): Record<string, string | number | null> => {
  const bound = bind(frame)
  return Object.fromEntries(names.map((name, at) => [name, bound[at] ?? null]))
}

/** Positions in column order, as a person would write them down. */
const [TURN, STATUS, ASYNC, SETTLED, UPDATED] = [3, 13, 14, 20, 21] as const
const LATEST = [6, 7, 8, 9, 10, 11, 12, 15, 16, 17] as const

/** The contract's merge, written by hand, in place. */
export const mergeByHand = <Value>(stored: (Value | null)[], incoming: readonly (Value | null)[]): void => {
  if (stored[SETTLED] === null && incoming[STATUS] !== null) stored[STATUS] = incoming[STATUS] as Value
  for (const at of LATEST) if (incoming[at] !== null) stored[at] = incoming[at] as Value
  if (stored[TURN] === null) stored[TURN] = incoming[TURN] as Value
  if (stored[SETTLED] === null) stored[SETTLED] = incoming[SETTLED] as Value
  if (incoming[ASYNC] === 1 || incoming[ASYNC] === true) stored[ASYNC] = incoming[ASYNC] as Value
  if ((incoming[UPDATED] as Value) > (stored[UPDATED] as Value)) stored[UPDATED] = incoming[UPDATED] as Value
}

/** Folds rows by their key. */
export const foldByHand = <Value>(rows: Iterable<(Value | null)[]>): (Value | null)[][] => {
  const byKey = new Map<string, (Value | null)[]>()
  for (const row of rows) {
    const key = `${String(row[1])}|${String(row[4])}|${String(row[5])}`
    const stored = byKey.get(key)
    if (stored === undefined) byKey.set(key, [...row])
    else mergeByHand(stored, row)
  }
  return [...byKey.values()]
}
