/** Other things in the place of a program's steps, or around them: a generator around a generator, of which no adapter and no program knows. */
import type { Answer, Program, Step } from '../../src/adapters/program.ts'
import type { AsyncSession, Session, SyncSession } from '../../src/adapters/session.ts'

/** A session whose programs go through `wrap`. */
export const wrapping = (session: Session, wrap: <T>(program: Program<T>) => Program<T>): Session =>
  session.mode === 'sync'
    ? ({ ...session, run: (program) => session.run(wrap(program)) } satisfies SyncSession)
    : ({ ...session, run: (program) => session.run(wrap(program)) } satisfies AsyncSession)

/** Runs something else in the place of each step; its answer is the step's, and what it throws is the step's error. */
export function* answered<T>(program: Program<T>, instead: (step: Step) => Program<Answer>): Program<T> {
  try {
    let turn = program.next()
    while (turn.done !== true) {
      let answer: Answer
      try {
        answer = yield* instead(turn.value)
      } catch (error) {
        turn = program.throw(error)
        continue
      }
      turn = program.next(answer)
    }
    return turn.value
  } finally {
    // When this wrapper is ended early, so is the program inside it.
    program.return(undefined as never)
  }
}

export const answering = (session: Session, instead: (step: Step) => Program<Answer>): Session =>
  wrapping(session, (program) => answered(program, instead))

/** Sees every step before it is sent; what it throws is the step's error. */
export type Watch = (step: Step) => void

export const watching = (session: Session, watch: Watch): Session =>
  answering(session, function* (step) {
    watch(step)
    return yield step
  })
