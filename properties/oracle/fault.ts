/** Planted faults: a program told to a database in other words than the library chose. */
import type { Answer, Program, Step } from '../../src/adapters/program.ts'
import type { AsyncSession, Session, SyncSession } from '../../src/adapters/session.ts'

/** Changes a statement's text; the identity for the real thing. */
export type Fault = (sql: string) => string

/** The same program with every statement's text passed through a fault. */
export function* withFault<T>(program: Program<T>, fault: Fault): Program<T> {
  let next = program.next()
  while (next.done !== true) {
    const step: Step = next.value
    let answer: Answer
    try {
      answer = yield 'sql' in step ? { ...step, sql: fault(step.sql) } : step
    } catch (error) {
      next = program.throw(error)
      continue
    }
    next = program.next(answer)
  }
  return next.value
}

/** A session that passes every statement through a fault, for whatever stands on a session. */
export const faultySession = (session: Session, fault: Fault): Session =>
  session.mode === 'sync'
    ? ({ ...session, run: (program) => session.run(withFault(program, fault)) } satisfies SyncSession)
    : ({ ...session, run: (program) => session.run(withFault(program, fault)) } satisfies AsyncSession)
