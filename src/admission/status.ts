import type { StatusCode } from './refusal.ts'

/** The statuses a writer of this library writes. Anything else on disk is damage, or another version. */
export const KNOWN_STATUSES = ['running', 'completed', 'failed', 'cancelled', 'interrupted'] as const
export type KnownStatus = (typeof KNOWN_STATUSES)[number]

/** The only statuses that may be continued or copied. An admit-list: a status nobody thought of is refused. */
export const ADMITTED_STATUSES = ['completed', 'cancelled'] as const
export type AdmittedStatus = (typeof ADMITTED_STATUSES)[number]

/** True for exactly `'completed'` and `'cancelled'`: no trimming, no case folding, no normalisation, no conversion. */
export const isAdmittedStatus = (status: unknown): status is AdmittedStatus => status === 'completed' || status === 'cancelled'

/** Names the refusal of a status that is not admitted. */
export function statusRefusal(status: unknown): StatusCode {
  switch (status) {
    case undefined:
    case null:
      return 'status-missing'
    case '':
      return 'status-empty'
    case 'running':
      return 'status-running'
    case 'failed':
      return 'status-failed'
    case 'interrupted':
      return 'status-interrupted'
    default:
      return 'status-unknown'
  }
}
