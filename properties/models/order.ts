/**
 * What the order of commits decides and what it does not, for each rule of the first contract.
 *
 * A frame's *own* value is the one it leaves when it is played alone. Everything is said in own values, so a claim is a sentence.
 */
import type { RuleKind } from '../../src/index.ts'
import { subagentContexts } from '../../src/subagents/index.ts'
import { type FrameJson, TERMINAL } from '../arbitraries/frames.ts'
import type { Player } from '../oracle/players.ts'
import { clockAt, idAt, type ModelRow } from './subagents.ts'

export type Rule = RuleKind
type Value = ModelRow[string] | undefined

/** One key's life: the own rows of its frames in commit order, and the row held after each of them. */
export interface Life {
  readonly own: readonly ModelRow[]
  readonly held: readonly ModelRow[]
}

export const columnsOf = (kind: Rule): readonly string[] =>
  Object.entries(subagentContexts.columns).flatMap(([name, { rule }]) => (rule.kind === kind ? [name] : []))

/** Frames that say when they were observed keep it in every order; those that do not are given what the clock would have said. */
export const dated = (frames: readonly FrameJson[]): readonly FrameJson[] =>
  frames.map((frame, at) => (frame['observed_at'] ? frame : { ...frame, observed_at: clockAt(at) }))

const keyOf = (row: ModelRow): string => JSON.stringify([row['task_session_id'], row['agent_execution_id'], row['tool_call_id']])

/** Plays frames in an order, and each alone; gives every key's life. */
export const livesOf = async (player: Player, frames: readonly FrameJson[]): Promise<ReadonlyMap<string, Life>> => {
  const { states } = await player.play({ backfilled: [], frames })
  const lives = new Map<string, { own: ModelRow[]; held: ModelRow[] }>()
  for (const [at, frame] of frames.entries()) {
    const alone = await player.play({ backfilled: [], frames: [frame] })
    const own = alone.states[0]?.rows[0]
    if (own === undefined) continue // skipped, ignored, rejected or failed: it commits nothing
    const key = keyOf(own)
    const life = lives.get(key) ?? { own: [], held: [] }
    const held = states[at]?.rows.find((row) => keyOf(row) === key)
    life.own.push({ ...own, id: idAt(at) }) // played alone, every frame is the first
    if (held !== undefined) life.held.push(held)
    lives.set(key, life)
  }
  return lives
}

const isPresent = (value: Value): boolean => value !== null && value !== undefined
const firstOf = (values: readonly Value[]): Value => values.find(isPresent) ?? null
const lastOf = (values: readonly Value[]): Value => values.findLast(isPresent) ?? null
const isTerminal = (status: Value): boolean => (TERMINAL as readonly unknown[]).includes(status)

const values = (rows: readonly ModelRow[], column: string): readonly Value[] => rows.map((row) => row[column])

/** What tool_status holds after these frames, in own values; `null` where none reported one. */
const settledStatus = (own: readonly ModelRow[]): Value =>
  own.find((row) => isPresent(row['settled_at']))?.['tool_status'] ?? lastOf(values(own, 'tool_status'))

/** By commit order: the value of the first, the first present, or the last present own value. */
export const BY_ORDER: Record<Rule, (own: readonly ModelRow[], column: string) => Value> = {
  key: (own, column) => own[0]?.[column],
  writeOnce: (own, column) => own[0]?.[column],
  firstNonNull: (own, column) => firstOf(values(own, column)),
  lastNonNull: (own, column) => lastOf(values(own, column)),
  lastValue: (own, column) => own.at(-1)?.[column],
  touch: (own, column) => values(own, column).reduce((newest, value) => (String(value) > String(newest) ? value : newest)),
  boolOr: (own, column) => values(own, column).includes(true),
  frozenBy: (own) => settledStatus(own),
}

/** In any order: what may be said of a column without knowing who came first. */
export const IN_ANY_ORDER: Record<Rule, (row: ModelRow, column: string) => Value> = {
  key: (row, column) => row[column],
  writeOnce: () => undefined, // nothing: the first decides
  firstNonNull: (row, column) => isPresent(row[column]),
  lastNonNull: (row, column) => isPresent(row[column]),
  lastValue: () => undefined, // nothing: the last decides
  touch: (row, column) => row[column],
  boolOr: (row, column) => row[column],
  frozenBy: (row, column) => isTerminal(row[column]),
}

/** A value that, once held, no later frame changes: undefined for rules whose values may change. */
export const ONCE_HELD: Partial<Record<Rule, (row: ModelRow, column: string) => Value>> = {
  key: (row, column) => row[column],
  writeOnce: (row, column) => row[column],
  firstNonNull: (row, column) => row[column],
  frozenBy: (row, column) => (isTerminal(row[column]) ? row[column] : null),
  boolOr: (row, column) => (row[column] === true ? true : null),
}
