import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js'
import { attempt, type Program, transaction } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { takeLock } from '../engine/lock.ts'
import { MergelawError } from '../errors/index.ts'
import type { ActivationStep, StepReport } from './activation-report.ts'
import type { ActivationState, Look, StepEnd } from './activation-state.ts'
import type { StepDefinition } from './activation-steps.ts'

/** What the steps of one activation share. */
export interface Activating {
  readonly dialect: Dialect
  readonly look: Look
  readonly budget: Budget
}

/**
 * Tries that may fail for another's lock, in the whole activation. On SQLite each of them blocks as long as the session waits for a
 * lock, by default 5 s, so that an activation waits at most six times that: another process may be in its backfill.
 */
export interface Budget {
  left: number
  /** The step that used up the last; no later one is tried. */
  spentBy?: ActivationStep
}

export const newBudget = (): Budget => ({ left: 6 })

/**
 * Runs one step: decided on the state already seen, and where there is something to do, again under the lock.
 *
 * An error becomes the step's report; the state is then read again, since even the answer to a COMMIT can be lost. A connection that is
 * given up is rethrown.
 */
export function* runStep(activating: Activating, definition: StepDefinition, state: ActivationState): Program<StepEnd> {
  const { step } = definition
  const known = decided(definition, state) ?? outOfTries(step, activating.budget)
  if (known !== undefined) return { report: known, state }
  const ended = yield* tryLocked(activating, definition, state)
  if (isRight(ended)) return ended.right
  const again = yield* attempt(activating.look('may'))
  return { report: { step, outcome: 'failed', error: ended.left }, state: isLeft(again) ? state : again.right }
}

/** What a state alone decides: nothing to do, or not yet. */
const decided = ({ step, isNeeded, waitsFor }: StepDefinition, state: ActivationState): StepReport | undefined => {
  if (!isNeeded(state)) return { step, outcome: 'already_done' }
  const heldBackBy = waitsFor?.(state)
  return heldBackBy && { step, outcome: 'skipped', why: `"${heldBackBy}" has to succeed first`, heldBackBy }
}

const outOfTries = (step: ActivationStep, { spentBy }: Budget): StepReport | undefined =>
  spentBy && {
    step,
    outcome: 'skipped',
    why: `others held the database's lock until "${spentBy}" had used up every try`,
    heldBackBy: spentBy,
  }

/**
 * Divergence: PostgreSQL's activation lock is waited for without limit, so `busy` there means that somebody uses the table itself; to
 * wait again would hold up every writer again.
 */
const isWorthAnother = (dialect: Dialect, error: MergelawError): boolean =>
  error.isRetryable && !(dialect === 'postgres' && error.code === 'busy')

function* tryLocked(
  activating: Activating,
  definition: StepDefinition,
  state: ActivationState,
): Program<Either<MergelawError, StepEnd>> {
  const { dialect, budget } = activating
  const { step, around } = definition
  for (;;) {
    const body = (): Program<StepEnd> => transaction(step, () => underLock(activating, definition, state))
    const ended = yield* attempt(around?.(body) ?? body())
    if (isRight(ended) || !isWorthAnother(dialect, ended.left)) return ended
    budget.left--
    if (budget.left > 0) continue
    budget.spentBy = step
    return ended
  }
}

function* underLock({ dialect, look }: Activating, definition: StepDefinition, { keys }: ActivationState): Program<StepEnd> {
  const { step, change, isNeeded, readsKeys } = definition
  const wanted = readsKeys === true ? 'must' : { seen: keys }
  yield* takeLock(dialect)
  const before = yield* look(wanted)
  const known = decided(definition, before)
  if (known !== undefined) return { report: known, state: before }
  const backfill = yield* change(before)
  const state = yield* look(wanted)
  if (isNeeded(state)) throw withoutEffect(step)
  return { report: { step, outcome: 'done', ...(backfill === undefined ? {} : { backfill }) }, state }
}

/** What a step did is observed, never believed: an index name, for one, may belong to another table. */
const withoutEffect = (step: string): MergelawError =>
  new MergelawError(
    'unsupported',
    `The step "${step}" ran without error, yet the database does not show its outcome. Compare the schema with sql/.`,
    {
      details: { step },
    },
  )
