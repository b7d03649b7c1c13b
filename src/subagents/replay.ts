import { compileReducer, type Tuple } from '../rules/index.ts'
import { compareCodePoints } from '../util/code-points.ts'
import { type Clock, systemClock } from './clock.ts'
import { type SubagentContext, subagentContexts } from './contract.ts'
import { type Counters, newCounting } from './counters.ts'
import type { Recorded } from './outcome.ts'
import { contextOf } from './reads.ts'
import { finishRow, keyOf, prepareFrame } from './row.ts'

export interface ReplayOptions {
  readonly clock?: Clock
  /** The id of a new row. Default: none that means anything; a replay has no table to give ids. */
  readonly newId?: () => string
}

/** A writer without a database. */
export interface Replay {
  /** Merges one frame in memory and tells what became of it. A parent session is not asked for: there are no foreign keys here. */
  record(frame: unknown): Recorded
  counters(): Counters
  /** The rows that the frames so far leave in an empty table, in the order of `listAll`. */
  rows(): readonly SubagentContext[]
}

const reducer = compileReducer(subagentContexts)

/** The reducer alone over a stream of frames: what the table would hold. Use it to preview, or to check a table against its frames. */
export const createReplay = (options: ReplayOptions = {}): Replay => {
  const source = { clock: options.clock ?? systemClock(), newId: options.newId ?? (() => 'replay') }
  const held = new Map<string, Tuple>()
  const { count, snapshot } = newCounting()
  return {
    record: (frame) => {
      const prepared = prepareFrame(frame, source)
      if (prepared.outcome !== 'prepared') return count(prepared)
      const { anomalies } = prepared
      const tuple = finishRow(prepared.admitted)
      const key = keyOf(tuple)
      const place = JSON.stringify([key.task_session_id, key.agent_execution_id, key.tool_call_id])
      const stored = held.get(place)
      held.set(place, stored === undefined ? tuple : reducer.merge(stored, tuple))
      return count({ outcome: 'persisted', key, anomalies })
    },
    counters: snapshot,
    rows: () => Array.from(held.values(), contextOf).sort(compareRows),
  }
}

/** The order of `listAll`. Canonical instants compare as text, and all text by its UTF-8 bytes. */
const compareRows = (a: SubagentContext, b: SubagentContext): number => {
  for (const name of ORDER) {
    const order = compareCodePoints(a[name], b[name])
    if (order !== 0) return order
  }
  return 0
}
const ORDER = ['task_session_id', 'observed_at', 'tool_call_id', 'agent_execution_id'] as const
