/** A history of frames: every player shows what the model says, after every frame. */
import type { Contract, Tuple } from '../../src/index.ts'
import { subagentContexts } from '../../src/subagents/index.ts'
import type { FrameHistory } from '../arbitraries/frames.ts'
import { listOf, type ModelState, modelStates } from '../models/subagents.ts'
import { firstDifference } from './compare.ts'
import { toJson } from './json.ts'
import { type Lists, names, type Played, type Player } from './players.ts'
import { Divergence } from './run-and-compare.ts'
import { tell } from './story.ts'

const contract: Contract = subagentContexts

/** Strict: a column that is missing stays undefined, and one too many makes the row longer. */
const tupleOf = (row: ModelState['rows'][number]): Tuple =>
  [...names, ...Object.keys(row).filter((name) => !names.includes(name))].map((name) => row[name] as Tuple[number])

/** Throws Divergence when a player shows anything else than the model. */
export const assertFramesAgree = async (history: FrameHistory, players: readonly Player[]): Promise<void> => {
  for (const player of players) {
    const expected = modelStates(history, player.parents)
    const played = await player.play(history)
    for (const [step, state] of expected.entries()) compareState(history, player, played, step, state)
    if (history.frames.length > 0) compareLists(history, player, await played.lists(), expected.at(-1)?.rows ?? [])
  }
}

/** The rows one session or turn has, in AC-13's order; what two sessions share of it may come in either order. */
const compareLists = ({ frames }: FrameHistory, { name }: Player, lists: Lists, rows: ModelState['rows']): void => {
  for (const [list, shown] of Object.entries(lists)) {
    const [of = '', id = ''] = list.split(' ')
    const expected = listOf(rows, of === 'session' ? 'task_session_id' : 'turn_id', id)
    const order = (row: ModelState['rows'][number]): string =>
      JSON.stringify(['observed_at', 'tool_call_id', 'agent_execution_id'].map((part) => row[part]))
    if (JSON.stringify(shown.map(order)) === JSON.stringify(expected.map(order))) continue
    throw new Divergence(
      [
        `${name} lists for ${list}: ${shown.map(order).join(' ')}`,
        `the model: ${expected.map(order).join(' ')}`,
        ...frames.map((frame) => toJson(frame)),
      ].join('\n'),
    )
  }
}

const compareState = (
  history: FrameHistory,
  { name }: Player,
  { states, sql }: Played,
  step: number,
  expected: ModelState,
): void => {
  const shown = states[step]
  if (shown === undefined) throw new Divergence(`${name} shows nothing after frame ${step + 1}`)
  const difference = firstDifference(names, expected.rows.map(tupleOf), shown.rows.map(tupleOf))
  if (difference !== undefined) {
    const told = [...history.backfilled, ...history.frames]
    throw new Divergence(
      tell({
        contract,
        history: told,
        truth: 'model',
        holder: name,
        steps: step + 1 + history.backfilled.length,
        difference,
        sql,
      }),
    )
  }
  for (const counter of new Set([...Object.keys(expected.counters), ...Object.keys(shown.counters)])) {
    if (Object.is(shown.counters[counter], expected.counters[counter])) continue
    throw new Divergence(
      [
        `${name} counts ${counter} = ${shown.counters[counter]}, the model ${expected.counters[counter]}, after frame ${step + 1}:`,
        ...history.frames.slice(0, step + 1).map((frame) => toJson(frame)),
      ].join('\n'),
    )
  }
}
