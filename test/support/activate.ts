/** Runs an activation the way a test wants it: with a clock of the test's, warnings collected, and faults planted. */
import type { Step } from '../../src/adapters/program.ts'
import type { Session } from '../../src/adapters/session.ts'
import { MergelawError } from '../../src/errors/index.ts'
import { type ActivationWarning, activate } from '../../src/subagents/activate.ts'
import type { ActivationReport, ActivationStep } from '../../src/subagents/activation-report.ts'
import type { Clock } from '../../src/subagents/clock.ts'
import { watching } from './stepping.ts'

/** Fails every step that `isIt` names, before it is sent. */
export const failing = (session: Session, isIt: (step: Step) => boolean): Session =>
  watching(session, (step) => {
    if (isIt(step)) throw new MergelawError('unknown', `Planted failure of "${step.name}".`)
  })

/** A statement of the backfill itself, not of the transaction around it. */
export const isBackfill = ({ kind, name }: Step): boolean => name.startsWith('backfill') && /query|script|runMany/.test(kind)

/** Each reading is a millisecond and a microsecond after the last; the first is `from`. */
export const steppingClock = (from = '2026-09-01T00:00:00.000001Z'): Clock & { readonly told: string[] } => {
  const told: string[] = []
  const base = Date.parse(from)
  return {
    told,
    now: () => {
      const text = `${new Date(base + told.length).toISOString().slice(0, -1)}${String(told.length + 1).padStart(3, '0')}Z`
      told.push(text)
      return text
    },
  }
}

export interface Activated {
  readonly report: ActivationReport
  readonly warnings: readonly ActivationWarning[]
  /** The outcome of each step, in order. */
  readonly outcomes: Readonly<Record<ActivationStep, string>>
}

/** One start of a host application. */
export const start = async (session: Session, clock?: Clock): Promise<Activated> => {
  const warnings: ActivationWarning[] = []
  const log = { warn: (fields: ActivationWarning) => void warnings.push(fields) }
  const report = await activate(session, { log, ...(clock === undefined ? {} : { clock }) })
  // Every step is reported exactly once.
  const outcomes = Object.fromEntries(report.steps.map(({ step, outcome }) => [step, outcome])) as Activated['outcomes']
  return { report, warnings, outcomes }
}

/** What a start says where nothing was left to do. */
export const NOTHING_TO_DO = {
  schema: 'already_done',
  upgrade: 'already_done',
  metrics: 'already_done',
  indexes: 'already_done',
  execution_since: 'already_done',
  backfill: 'already_done',
} as const
