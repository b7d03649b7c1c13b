import type { ActivationReport, ActivationWarning, StepReport } from '../subagents/index.ts'
import { complain } from './complain.ts'

/** Where an activation's warnings go: a line each on stderr. */
export const activationLog = {
  warn: ({ step, code, error }: ActivationWarning, message: string): void =>
    complain(`WARN ${step} (${code}): ${message} ${error}`),
}

/** A report as JSON: an error is its code and its message. */
export const activationJson = ({ steps }: ActivationReport): readonly unknown[] =>
  steps.map((step) =>
    step.outcome === 'failed' ? { ...step, error: { code: step.error.code, message: step.error.message } } : step,
  )

/** A report for people, a line for each step. */
export const activationText = ({ steps }: ActivationReport): string => steps.map((step) => `${lineOf(step)}\n`).join('')

const lineOf = (report: StepReport): string =>
  `${report.step.padEnd(NAME_WIDTH)}${report.outcome.replace('_', ' ')}${detailOf(report)}`
const NAME_WIDTH = 17

const detailOf = (report: StepReport): string => {
  switch (report.outcome) {
    case 'failed':
      return `: ${report.error.message}`
    case 'skipped':
      return `: ${report.why}`
    case 'done':
      return report.backfill === undefined ? '' : `: ${countsOf(report.backfill)}`
    case 'already_done':
      return ''
  }
}

const countsOf = (backfill: NonNullable<Extract<StepReport, { outcome: 'done' }>['backfill']>): string => {
  const { scanned, candidates, qualifying, inserted, alreadyPresent, skipped } = backfill
  const reasons = Object.entries(skipped).flatMap(([reason, messages]) => (messages === 0 ? [] : [`${reason} ${messages}`]))
  const counts = `${inserted} inserted, ${alreadyPresent} already present; ${scanned} messages, ${candidates} candidates, ${qualifying} qualifying`
  return reasons.length === 0 ? counts : `${counts}; skipped: ${reasons.join(', ')}`
}
