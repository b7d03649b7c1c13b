/** Planted faults: a program told to a database in other words than the library chose. */
import type { AsyncSession, Program, Session, Step, SyncSession } from '../../src/index.ts'

type Answer = Program<unknown> extends Generator<unknown, unknown, infer Next> ? Next : never

/** Changes a statement's text; the identity for the real thing. */
export type Fault = (sql: string) => string

/** The same program with every step changed on its way to the database. */
function* mapSteps<T>(program: Program<T>, change: (step: Step) => Step): Program<T> {
  let next = program.next()
  while (next.done !== true) {
    let answer: Answer
    try {
      answer = yield change(next.value)
    } catch (error) {
      next = program.throw(error)
      continue
    }
    next = program.next(answer)
  }
  return next.value
}

/** The same program with every statement's text passed through a fault. */
export const withFault = <T>(program: Program<T>, fault: Fault): Program<T> =>
  mapSteps(program, (step) => ('sql' in step ? { ...step, sql: fault(step.sql) } : step))

const mapSession = (session: Session, change: (step: Step) => Step): Session =>
  session.mode === 'sync'
    ? ({ ...session, run: (program) => session.run(mapSteps(program, change)) } satisfies SyncSession)
    : ({ ...session, run: (program) => session.run(mapSteps(program, change)) } satisfies AsyncSession)

/** A session that changes every step on its way, and tells what was sent; for whatever stands on a session. */
export const changedSession = (session: Session, change: (step: Step) => Step, sent: (step: Step) => void): Session =>
  mapSession(session, (step) => {
    const changed = change(step)
    sent(changed)
    return changed
  })
