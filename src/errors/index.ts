/** Every code an error of this library can carry: a closed set, so that callers can switch over it. */
export const ERROR_CODES = [
  // what a database answers
  'constraint',
  'foreign-key',
  'busy',
  'serialization',
  'deadlock',
  'connection',
  'unsupported-value',
  'missing-table',
  'unknown',
  // what a caller hands in
  'contract',
  'row',
  'frame',
  'usage',
  // what the run store answers
  'malformed-metadata',
  'not-found',
  'io',
  'locked',
  'lineage',
  'ambiguous',
  // what a dialect cannot say
  'unsupported',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['busy', 'serialization', 'deadlock'])

/**
 * The one error class of the library. Use `code` to decide, `message` to tell a person, `cause` for the driver's own error.
 *
 * `details` holds the same facts as data: table, column, the value, the constraint.
 */
export class MergelawError extends Error {
  override readonly name: string = 'MergelawError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
  }

  /** True when running the same statement again may succeed: busy, serialization failure, deadlock. Never for others. */
  get isRetryable(): boolean {
    return RETRYABLE.has(this.code)
  }
}
