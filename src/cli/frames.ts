import { isLeft, left } from 'fp-ts/lib/Either.js'
import { parseFrameText } from '../subagents/frame-text.ts'
import type { Problem, Recorded, Rejected } from '../subagents/outcome.ts'
import { complain } from './complain.ts'
import { type Input, type Line, MAX_LINE_BYTES, textOf } from './input.ts'

/** What a line turned out to be: anything but a rejected one is the consumer's business. */
type Consume = (value: unknown, place: string) => Outcome | Promise<Outcome>
type Outcome = Recorded | undefined

/**
 * Hands every line of an input, parsed, to `consume`, one after the other. Answers how many lines were no JSON and so never got there.
 *
 * Each rejected line, also one that `consume` rejects, is named on stderr by line number, field and value.
 */
export const eachLine = async (input: Input, consume: Consume): Promise<number> => {
  let unreadable = 0
  for await (const lines of input.lines()) {
    for (const line of lines) {
      const place = `${input.name} line ${line.number}`
      const parsed = parseLine(line)
      if (isLeft(parsed)) unreadable++
      const outcome = isLeft(parsed) ? parsed.left : await consume(parsed.right, place)
      if (outcome?.outcome === 'rejected') complain(`${place}: rejected: ${messagesOf(outcome.problems)}`)
    }
    input.release()
  }
  return unreadable
}

/** One line's frame, or why it is none. */
export const parseLine = (line: Line): ReturnType<typeof parseFrameText> => {
  const text = textOf(line)
  return text === undefined ? left(TOO_LONG) : parseFrameText(text)
}

const TOO_LONG: Rejected = {
  outcome: 'rejected',
  problems: [{ field: '', value: undefined, message: `the frame: is longer than ${MAX_LINE_BYTES} bytes` }],
}

export const messagesOf = (problems: readonly Problem[]): string => problems.map(({ message }) => message).join('; ')
