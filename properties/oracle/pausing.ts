/** An asynchronous session in which something else happens before each step. */
import type { Answer, Step } from '../../src/adapters/program.ts'
import type { Session } from '../../src/adapters/session.ts'
import { answering } from '../../test/support/stepping.ts'

/**
 * Runs `between` before each step of a program, on whatever connection it likes. The program itself runs on the session, step by step:
 * a `wait` step gives the turn away, and `between` has ended before the program goes on, or its error is the step's.
 */
export const pausing = (session: Session, between: () => Promise<void>): Session => {
  if (session.mode !== 'async') throw new Error('only an asynchronous session can pause')
  return answering(session, function* (step) {
    yield* until(between())
    return yield step
  })
}

const PAUSE_MS = 1

function* until(work: Promise<void>): Generator<Step, void, Answer> {
  let ended: { readonly error?: unknown } | undefined
  work.then(
    () => {
      ended = {}
    },
    (error: unknown) => {
      ended = { error }
    },
  )
  while (ended === undefined) yield { kind: 'wait', name: 'pause', milliseconds: PAUSE_MS }
  if (ended.error !== undefined) throw ended.error
}
