/** A history of frames: every player shows what the model says, after every frame. */
import type { Contract, Tuple } from '../../src/index.ts'
import { subagentContexts } from '../../src/subagents/index.ts'
import type { FrameHistory } from '../arbitraries/frames.ts'
import { type ModelState, modelStates } from '../models/subagents.ts'
import { firstDifference } from './compare.ts'
import { names, type Played, type Player } from './players.ts'
import { Divergence } from './run-and-compare.ts'
import { tell } from './story.ts'

const contract: Contract = subagentContexts

/** Strict: a column that is missing stays undefined, and one too many makes the row longer. */
const tupleOf = (row: ModelState['rows'][number]): Tuple =>
  [...names, ...Object.keys(row).filter((name) => !names.includes(name))].map((name) => row[name] as Tuple[number])

/** Throws Divergence when a player shows anything else than the model. */
export const compareFrames = async (history: FrameHistory, players: readonly Player[]): Promise<void> => {
  for (const player of players) {
    const expected = modelStates(history, player.parents)
    const played = await player.play(history)
    for (const [step, state] of expected.entries()) compareState(history, player, played, step, state)
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
        ...history.frames
          .slice(0, step + 1)
          .map((frame) => JSON.stringify(frame, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))),
      ].join('\n'),
    )
  }
}
