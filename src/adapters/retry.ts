import { MergelawError } from '../errors/index.ts'
import type { Program } from './program.ts'

/** How often, and how patiently, a statement is run again after busy, a serialization failure or a deadlock. */
export interface RetryPolicy {
  /** Runs in all, the first one included. Default 5. */
  readonly attempts: number
  /** The first wait, in milliseconds; each later one is twice as long, up to the cap. Default 5. */
  readonly firstDelay: number
  /** The longest wait, in milliseconds. Default 250. */
  readonly maxDelay: number
}

export const RETRY: RetryPolicy = { attempts: 5, firstDelay: 5, maxDelay: 250 }

/**
 * Runs a program again while it fails with an error that `isRetryable`; any other error is thrown at once.
 *
 * `make` gives a fresh program for every run. Waits are randomised by half, so that two writers do not meet again in step.
 */
export function* retrying<T>(
  make: () => Program<T>,
  onRetry: (error: MergelawError) => void,
  policy: RetryPolicy = RETRY,
): Program<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return yield* make()
    } catch (error) {
      if (attempt >= policy.attempts || !(error instanceof MergelawError) || !error.isRetryable) throw error
      onRetry(error)
      const delay = Math.min(policy.maxDelay, policy.firstDelay * 2 ** (attempt - 1))
      yield { kind: 'wait', name: 'wait before another try', milliseconds: delay * (0.5 + Math.random() / 2) }
    }
  }
}
