import { MergelawError } from '../errors/index.ts'
import type { Answer, Program, Step } from './program.ts'

/**
 * Marks programs that ran, on the generator itself: it is used up by one run, and a second would return undefined as if all were
 * done. (A WeakSet costs a microsecond a run, a tenth of an upsert.)
 */
const RAN: unique symbol = Symbol('ran')

const start = <T>(program: Program<T> & { [RAN]?: true }): IteratorResult<Step, T> => {
  if (program[RAN] === true) {
    throw new MergelawError('usage', 'This program has run already. Make a new one for every run: call its function again.')
  }
  program[RAN] = true
  return program.next()
}

/** The loop that runs a program over a driver that answers at once. What `answer` throws is thrown into the program. */
export const driveSync = <T>(program: Program<T>, answer: (step: Step) => Answer): T => {
  let turn = start(program)
  while (!turn.done) {
    let reply: Answer
    try {
      reply = answer(turn.value)
    } catch (error) {
      turn = program.throw(error)
      continue
    }
    turn = program.next(reply)
  }
  return turn.value
}

/** The same loop over a driver that answers later; one step is awaited before the next is asked for. */
export const driveAsync = async <T>(program: Program<T>, answer: (step: Step) => Promise<Answer>): Promise<T> => {
  let turn = start(program)
  while (!turn.done) {
    let reply: Answer
    try {
      reply = await answer(turn.value)
    } catch (error) {
      turn = program.throw(error)
      continue
    }
    turn = program.next(reply)
  }
  return turn.value
}
