/** Faults at a chosen step of any program: a generator around a generator, so that no adapter and no program knows of it. */
import type { Answer, Program, Step } from '../../src/adapters/program.ts'
import { run, type Session } from '../../src/adapters/session.ts'
import { type ErrorCode, MergelawError } from '../../src/errors/index.ts'

/**
 * before: the step is never sent. after: it took effect, then its answer turns into an error.
 * connection: the step is never sent, and neither is any later one; the adapter finds the transaction as a lost connection leaves it.
 * connection-after: the step took effect, its answer and every later step are lost.
 */
export type FaultMode = 'before' | 'after' | 'connection' | 'connection-after'
export const FAULT_MODES: readonly FaultMode[] = ['before', 'after', 'connection', 'connection-after']

export interface Fault {
  /** The step that fails, counted from 0 over all steps of the program, begin, commit and rollback included. */
  readonly at: number
  readonly mode: FaultMode
  /** The code of a 'before' or 'after' fault; 'unknown' when left out. */
  readonly code?: ErrorCode
}

/** Runs a program with one fault; `onFault` hears of it, so that a test can tell that it happened. Wrap a new program each time. */
export function* withFault<T>(program: Program<T>, fault: Fault, onFault?: (step: Step) => void): Program<T> {
  const lasting = fault.mode.startsWith('connection')
  const late = fault.mode.endsWith('after')
  let lost = false
  const fail = (step: Step): MergelawError => {
    if (!lost) onFault?.(step)
    lost = lasting
    const code = lasting ? 'connection' : (fault.code ?? 'unknown')
    return new MergelawError(code, `Injected fault at "${step.name}".`, { details: { step: step.name, fault } })
  }
  try {
    let at = 0
    let turn = program.next()
    while (!turn.done) {
      const step = turn.value
      const here = at++ === fault.at
      let answer: Answer
      try {
        if (lost || (here && !late)) throw fail(step)
        answer = yield step
        if (here) throw fail(step)
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

/** How many steps a program takes when nothing fails; every k below it is a place for a fault. Runs the program for real. */
export const countSteps = async <T>(makeProgram: () => Program<T>, session: Session): Promise<number> => {
  let steps = 0
  function* counted(): Program<T> {
    const program = makeProgram()
    let turn = program.next()
    while (!turn.done) {
      steps += 1
      let answer: Answer
      try {
        answer = yield turn.value
      } catch (error) {
        turn = program.throw(error)
        continue
      }
      turn = program.next(answer)
    }
    return turn.value
  }
  await run(session, counted())
  return steps
}
