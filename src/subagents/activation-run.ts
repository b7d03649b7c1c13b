import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js'
import { attempt, type Program, script, transaction } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { TAKE_LOCK } from '../sql-render/index.ts'
import type { StepReport } from './activation-report.ts'
import type { ActivationState, StepEnd } from './activation-state.ts'
import type { StepDefinition } from './activation-steps.ts'

type Look = () => Program<ActivationState>

/**
 * Runs one step: decided on the state already seen, and where there is something to do, again under the lock.
 *
 * An error becomes the step's report; the state is then read again, since even the answer to a COMMIT can be lost. A connection that is
 * given up is rethrown.
 */
export function* runStep(dialect: Dialect, definition: StepDefinition, state: ActivationState, look: Look): Program<StepEnd> {
  const known = decided(definition, state)
  if (known !== undefined) return { report: known, state }
  const ended = yield* tryLocked(dialect, definition, state, look)
  if (isRight(ended)) return ended.right
  const again = yield* attempt(look())
  return { report: { step: definition.step, outcome: 'failed', error: ended.left }, state: isLeft(again) ? state : again.right }
}

/** What a state alone decides: nothing to do, or not yet. */
const decided = ({ step, isNeeded, waitsFor }: StepDefinition, state: ActivationState): StepReport | undefined => {
  if (!isNeeded(state)) return { step, outcome: 'already_done' }
  const heldBackBy = waitsFor?.(state)
  return heldBackBy && { step, outcome: 'skipped', why: `"${heldBackBy}" has to succeed first`, heldBackBy }
}

/** Each attempt waits as long as the session lets it; together about half a minute on SQLite, whose lock another backfill may hold. */
const MAX_ATTEMPTS: Readonly<Record<Dialect, number>> = { sqlite: 6, postgres: 3 }

function* tryLocked(
  dialect: Dialect,
  definition: StepDefinition,
  seen: ActivationState,
  look: Look,
): Program<Either<MergelawError, StepEnd>> {
  let state = seen
  for (let tries = 1; ; tries++) {
    const body = (): Program<StepEnd> => transaction(definition.step, () => underLock(dialect, definition, look))
    const ended = yield* attempt(definition.around?.(state, body) ?? body())
    if (isRight(ended) || !ended.left.isRetryable || tries >= MAX_ATTEMPTS[dialect]) return ended
    const again = yield* attempt(look())
    if (isRight(again)) state = again.right
  }
}

function* underLock(dialect: Dialect, definition: StepDefinition, look: Look): Program<StepEnd> {
  const { step, change, isNeeded } = definition
  const lock = TAKE_LOCK[dialect]
  if (lock !== undefined) yield* script('take the activation lock', lock)
  const before = yield* look()
  const known = decided(definition, before)
  if (known !== undefined) return { report: known, state: before }
  const backfill = yield* change(before)
  const state = yield* look()
  if (isNeeded(state)) throw withoutEffect(step)
  return { report: { step, outcome: 'done', ...(backfill === undefined ? {} : { backfill }) }, state }
}

/** What a step did is observed, never believed: an index name, for one, may belong to another table. */
const withoutEffect = (step: string): MergelawError =>
  new MergelawError('unsupported', `The step "${step}" ran without error, yet the database does not show its outcome. Compare the schema with sql/.`, {
    details: { step },
  })
