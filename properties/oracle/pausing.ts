/** An asynchronous session in which something else happens before each step. */
import type { Answer, Program, Step } from '../../src/adapters/program.ts'
import type { Session } from '../../src/adapters/session.ts'

/**
 * Runs `between` before each step of a program, on whatever connection it likes. The program itself runs on the session, step by step:
 * a `wait` step gives the turn away, and `between` has ended before the program goes on, or its error is the step's.
 */
export const pausing = (session: Session, between: () => Promise<void>): Session => {
  if (session.mode !== 'async') throw new Error('only an asynchronous session can pause')
  return { ...session, run: (program) => session.run(paused(program, between)) }
}

const PAUSE_MS = 1

function* paused<T>(program: Program<T>, between: () => Promise<void>): Program<T> {
  let turn = program.next()
  while (turn.done !== true) {
    let answer: Answer
    try {
      yield* until(between())
      answer = yield turn.value
    } catch (error) {
      turn = program.throw(error)
      continue
    }
    turn = program.next(answer)
  }
  return turn.value
}

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
