import type { Program } from '../adapters/program.ts'
import type { Dialect, Ran, Session } from '../adapters/session.ts'
import { type ErrorCode, MergelawError } from '../errors/index.ts'
import { messageOf } from '../util/message-of.ts'
import { ACTIVATION_STEPS, type ActivationReport, type ActivationStep, type StepReport } from './activation-report.ts'
import { newBudget, runStep } from './activation-run.ts'
import { readState } from './activation-state.ts'
import { activationSteps, type StepDefinition } from './activation-steps.ts'
import { type Clock, softClock, systemClock } from './clock.ts'
import { runThen } from './run-then.ts'

/** What a warning carries (AC-20): the step's name, and why it failed. */
export interface ActivationWarning {
  readonly step: ActivationStep
  readonly code: ErrorCode
  readonly error: string
}

/** Where warnings go; any pino logger fits. */
export interface ActivationLog {
  warn(fields: ActivationWarning, message: string): void
}

export interface ActivateOptions {
  /** Each step that fails is told here once, at WARN, with the step's name. */
  readonly log: ActivationLog
  /** Where the keys' instants come from; it must tell microseconds. Default: `systemClock()`. */
  readonly clock?: Clock
}

/**
 * Makes the table ready on whatever database this is, and writes the activation keys; for every start of a host application (AC-17 to
 * AC-24, AC-33, AC-34).
 *
 * Never throws and never rejects: a step that fails is reported, logged and tried again at the next start; what does not depend on it
 * still runs. Any number of processes may do this at once. Where everything is done it only reads.
 * SQL: what sql/task_session_subagents shows as schema, upgrade, activation and backfill.
 */
export const activate = <S extends Session>(session: S, options: ActivateOptions): Ran<S, ActivationReport> =>
  activateBy(session, options, activationSteps)

/** The same with other steps; tests plant wrong ones. */
export const activateBy = <S extends Session>(
  session: S,
  { log, clock = systemClock() }: ActivateOptions,
  stepsOf: (dialect: Dialect, clock: Clock) => readonly StepDefinition[],
): Ran<S, ActivationReport> => {
  const steps: StepReport[] = []
  const tell = (report: StepReport): void => {
    steps.push(report)
    if (report.outcome === 'failed') warn(log, report.step, report.error)
  }
  const end = (error?: unknown): ActivationReport => {
    if (error !== undefined) giveUp(steps, tell, error)
    return { steps }
  }
  return runThen(
    session,
    () => activation(session.dialect, stepsOf(session.dialect, softClock(clock)), tell),
    () => end(),
    end,
  )
}

/** An error that no step can survive (no connection, or a catalogue that cannot be read): its step failed, the rest was not tried. */
const giveUp = (steps: readonly StepReport[], tell: (report: StepReport) => void, thrown: unknown): void => {
  const [broken, ...rest] = ACTIVATION_STEPS.slice(steps.length)
  if (broken === undefined) return
  const error = asMergelawError(thrown)
  const why = error.code === 'connection' ? 'the connection could not be used any more' : `the activation ended at "${broken}"`
  tell({ step: broken, outcome: 'failed', error })
  for (const step of rest) tell({ step, outcome: 'skipped', why, heldBackBy: broken })
}

const asMergelawError = (thrown: unknown): MergelawError =>
  thrown instanceof MergelawError ? thrown : new MergelawError('unknown', messageOf(thrown), { cause: thrown })

const warn = (log: ActivationLog, step: ActivationStep, error: MergelawError): void => {
  try {
    const fields = { step, code: error.code, error: error.message }
    const answer: unknown = log.warn(fields, `Activation step "${step}" failed; the next start tries it again.`)
    if (answer instanceof Promise) answer.catch(() => undefined)
  } catch {
    // Telemetry never breaks the product path (AC-27); the report still tells.
  }
}

/** The whole activation as one program; `tell` hears of each step as it ends. */
function* activation(dialect: Dialect, steps: readonly StepDefinition[], tell: (report: StepReport) => void): Program<void> {
  const look = readState(dialect)
  const activating = { dialect, look, budget: newBudget() }
  let state = yield* look('may')
  for (const definition of steps) {
    const ended = yield* runStep(activating, definition, state)
    tell(ended.report)
    state = ended.state
  }
}
