/** What random input really contains, counted. A property over input without conflicts, ties or NULLs proves nothing. */
import { type Contract, compileReducer, type Tuple } from '../src/index.ts'
import type { FrameHistory } from './arbitraries/frames.ts'
import { modelStates } from './models/subagents.ts'
import { type Case, normalised } from './oracle/run-and-compare.ts'

export type Counts = Map<string, number>

const count = (counts: Counts, what: string): void => {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

const ruleName = (contract: Contract, column: string): string => {
  const rule = contract.columns[column]?.rule
  return rule?.kind === 'frozenBy' ? `frozenBy ${rule.rule.kind}` : (rule?.kind ?? 'none')
}

const presence = (value: unknown): string => (value === null ? 'null' : 'value')

/** Each row of a history against what is stored: rule × type × NULL on either side × conflict or not, and what kind of conflict. */
export const countCase = (counts: Counts, given: Case): void => {
  const { contract } = given
  const { merge } = compileReducer(contract)
  const names = Object.keys(contract.columns)
  const keyAt = contract.key.map((name) => names.indexOf(name))
  const held = new Map<string, Tuple>()
  const rows = normalised(given)
  for (const [step, row] of rows.entries()) {
    const key = JSON.stringify(keyAt.map((at) => String(row[at])))
    const stored = held.get(key)
    held.set(key, stored === undefined ? row : merge(stored, row))
    count(counts, 'step')
    count(counts, stored === undefined ? 'insert' : 'conflict')
    if (stored !== undefined && rows.slice(0, step).some((other) => names.every((_, at) => Object.is(other[at], row[at]))))
      count(counts, 'duplicate')
    for (const [at, name] of names.entries())
      countColumn(counts, `${ruleName(contract, name)} ${contract.columns[name]?.type}`, stored, row, at)
  }
}

const countColumn = (counts: Counts, cell: string, stored: Tuple | undefined, row: Tuple, at: number): void => {
  if (stored === undefined) {
    count(counts, `${cell} inserts ${presence(row[at])}`)
    return
  }
  count(counts, `${cell} ${presence(stored[at])} meets ${presence(row[at])}`)
  if (stored[at] !== null && row[at] !== null) count(counts, Object.is(stored[at], row[at]) ? 'tie' : 'real conflict')
}

/** What a history of frames does to the rows it meets. */
export const countFrames = (counts: Counts, history: FrameHistory): void => {
  const states = modelStates(history)
  const executions = new Map<unknown, Set<unknown>>()
  for (const [step, { counters, rows }] of states.entries()) {
    const before = states[step - 1]
    count(counts, 'frame')
    for (const [name, value] of Object.entries(counters)) if (value > (before?.counters[name] ?? 0)) count(counts, name)
    const earlier = new Map((before?.rows ?? []).map((row) => [keyOf(row), row]))
    for (const row of rows) {
      const stored = earlier.get(keyOf(row))
      if (stored === undefined || JSON.stringify(stored, text) === JSON.stringify(row, text)) continue
      count(counts, 'changed row')
      if (stored['settled_at'] !== null) count(counts, 'changed after settlement')
      if (stored['turn_id'] === null && row['turn_id'] !== null) count(counts, 'turn filled forward')
      if (stored['source'] === 'backfill') count(counts, 'merged onto a backfilled row')
    }
    for (const row of rows)
      executions.set(callOf(row), new Set([...(executions.get(callOf(row)) ?? []), row['agent_execution_id']]))
  }
  if ([...executions.values()].some((of) => of.size > 1)) count(counts, 'history with executions sharing a tool_call_id')
  count(counts, 'history')
}

type Shown = Readonly<Record<string, unknown>>
const text = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)
const callOf = (row: Shown): string => JSON.stringify([row['task_session_id'], row['tool_call_id']])
const keyOf = (row: Shown): string => JSON.stringify([callOf(row), row['agent_execution_id']])
