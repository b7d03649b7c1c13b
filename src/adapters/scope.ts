import { MergelawError } from '../errors/index.ts'

/**
 * What one run knows about transactions on its connection.
 *
 * `host`: one was open before the run, which is never touched. `open`: this run began one and it is not finished, as far as is known.
 * `refused`: begins that were refused and whose rollback is still to come, which must not roll back an outer transaction.
 */
export interface Scope {
  readonly host: boolean
  open: boolean
  refused: number
}

export const newScope = (host: boolean): Scope => ({ host, open: false, refused: 0 })

/** Marks the transaction as open before BEGIN is sent, since its answer can be lost after it took effect. */
export const enterTransaction = (scope: Scope, step: string): void => {
  if (!scope.host && !scope.open) {
    scope.open = true
    return
  }
  scope.refused += 1
  const why = scope.host
    ? 'a transaction of the host application is open on this connection. Finish it first, or hand the session another connection.'
    : 'this program has a transaction open, and transactions do not nest. Run the inner body without a transaction of its own.'
  throw new MergelawError('usage', `"${step}" was refused: ${why}`, { details: { step } })
}

/** Refuses a commit without a transaction of this run: a host's transaction is the host's to commit. */
export const requireTransaction = (scope: Scope, step: string): void => {
  if (scope.open) return
  throw new MergelawError('usage', `"${step}" was refused: this program has no transaction open.`, { details: { step } })
}

/** True when a rollback step has something to roll back; one that answers a refused begin has not. */
export const leavesTransaction = (scope: Scope): boolean => {
  if (scope.refused === 0) return scope.open
  scope.refused -= 1
  return false
}

/** A transaction the database ended by itself: everything since BEGIN is gone, and nothing may run as if it were not. */
export const rolledBackByDatabase = (step: string): MergelawError =>
  new MergelawError(
    'unknown',
    `"${step}" failed: the database has rolled back the transaction because a statement in it failed, so nothing of it is stored. Run the whole transaction again without that statement.`,
    { details: { step } },
  )

/** A program that returned between BEGIN and COMMIT: its work is rolled back, and its caller must not take it for stored. */
export const leftOpen = (): MergelawError =>
  new MergelawError(
    'usage',
    'The program ended inside its transaction, which was rolled back: nothing of it is stored. Let transaction() begin and commit.',
  )
