import type { MergelawError } from '../errors/index.ts'
import type { BackfillReport } from './backfill.ts'

/**
 * The steps of an activation, in their order (AC-33c).
 *
 * schema: the table, where there is none. upgrade: its key (AC-33 clauses 1 to 3). metrics: 64 bits. indexes: those that are missing.
 * execution_since: the key that attests the end state (AC-33b). backfill: the history, with its two keys (AC-24d).
 */
export const ACTIVATION_STEPS = ['schema', 'upgrade', 'metrics', 'indexes', 'execution_since', 'backfill'] as const
export type ActivationStep = (typeof ACTIVATION_STEPS)[number]

/** What became of one step. */
export type StepReport = { readonly step: ActivationStep } & (
  | { readonly outcome: 'done'; readonly backfill?: BackfillReport }
  /** Observed to hold already; nothing was written, and no lock was taken. */
  | { readonly outcome: 'already_done' }
  /** Not tried, since an earlier step failed. */
  | { readonly outcome: 'skipped'; readonly why: string; readonly heldBackBy: ActivationStep }
  | { readonly outcome: 'failed'; readonly error: MergelawError }
)

/** What an activation did, as data: one entry for every step, in order. */
export interface ActivationReport {
  readonly steps: readonly StepReport[]
}

/** True when every step is done, now or before; otherwise the next start tries again. */
export const isActivated = ({ steps }: ActivationReport): boolean =>
  steps.every(({ outcome }) => outcome === 'done' || outcome === 'already_done')
