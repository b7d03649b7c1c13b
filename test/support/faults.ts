/** Faults at a chosen step of any program. */
import type { Program, Step } from '../../src/adapters/program.ts'
import { run, type Session } from '../../src/adapters/session.ts'
import { type ErrorCode, MergelawError } from '../../src/errors/index.ts'
import { answered, watching } from './stepping.ts'

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
  let at = 0
  return yield* answered(program, function* (step) {
    const here = at++ === fault.at
    if (lost || (here && !late)) throw fail(step)
    const answer = yield step
    if (here) throw fail(step)
    return answer
  })
}

/** How many steps a program takes when nothing fails; every k below it is a place for a fault. Runs the program for real. */
export const countSteps = async <T>(makeProgram: () => Program<T>, session: Session): Promise<number> => {
  let steps = 0
  await run(
    watching(session, () => {
      steps += 1
    }),
    makeProgram(),
  )
  return steps
}
