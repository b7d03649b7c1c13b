/** Planted faults: a program told to a database in other words than the library chose. */
import type { Program, Session, Step } from '../../src/index.ts'
import { answered, answering } from '../../test/support/stepping.ts'

/** Changes a statement's text; the identity for the real thing. */
export type Fault = (sql: string) => string

/** The same program with every statement's text passed through a fault. */
export const withFault = <T>(program: Program<T>, fault: Fault): Program<T> =>
  answered(program, function* (step) {
    return yield 'sql' in step ? { ...step, sql: fault(step.sql) } : step
  })

/** A session that changes every step on its way, and tells what was sent; for whatever stands on a session. */
export const changedSession = (session: Session, change: (step: Step) => Step, sent: (step: Step) => void): Session =>
  answering(session, function* (step) {
    const changed = change(step)
    sent(changed)
    return yield changed
  })
