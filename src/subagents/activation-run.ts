import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js'
import { attempt, type Program, transaction } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { takeLock } from '../engine/lock.ts'
import { MergelawError } from '../errors/index.ts'
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
  const ended = yield* tryLocked(dialect, definition, look)
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

/** On SQLite each attempt waits for its lock as long as the session lets it, by default 5 s: another process may be in its backfill. */
const MAX_ATTEMPTS = 6

/**
 * Divergence: PostgreSQL's activation lock is waited for without limit, so `busy` there means that somebody uses the table itself; to
 * wait again would hold up every writer again.
 */
const isWorthAnother = (dialect: Dialect, error: MergelawError): boolean =>
  error.isRetryable && !(dialect === 'postgres' && error.code === 'busy')

function* tryLocked(dialect: Dialect, definition: StepDefinition, look: Look): Program<Either<MergelawError, StepEnd>> {
  for (let tries = 1; ; tries++) {
    const body = (): Program<StepEnd> => transaction(definition.step, () => underLock(dialect, definition, look))
    const ended = yield* attempt(definition.around?.(body) ?? body())
    if (isRight(ended) || tries >= MAX_ATTEMPTS || !isWorthAnother(dialect, ended.left)) return ended
  }
}

function* underLock(dialect: Dialect, definition: StepDefinition, look: Look): Program<StepEnd> {
  const { step, change, isNeeded } = definition
  yield* takeLock(dialect)
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
  new MergelawError(
    'unsupported',
    `The step "${step}" ran without error, yet the database does not show its outcome. Compare the schema with sql/.`,
    {
      details: { step },
    },
  )
