import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { Program } from '../adapters/program.ts'
import { run, type Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { insertSession } from '../subagents/host.ts'
import type { Rejected } from '../subagents/outcome.ts'
import { decodeSession } from '../subagents/session-line.ts'
import { complain } from './complain.ts'
import { eachLine } from './frames.ts'
import type { Input } from './input.ts'

/** Answers how many lines named no session that is there now. They count as rejected: `failed` is about frames. */
export const loadSessions = async (session: Session, input: Input): Promise<number> => {
  const insert = insertSession(session.dialect)
  let unused = 0
  const unreadable = await eachLine(input, async (line, place): Promise<Rejected | undefined> => {
    const parent = decodeSession(line)
    if (isRight(parent) && (await inserted(session, insert(parent.right), place))) return undefined
    unused++
    return isLeft(parent) ? parent.left : undefined
  })
  return unused + unreadable
}

/** False, and a line for people, when this one session was refused; what concerns every session is thrown. */
const inserted = async (session: Session, program: Program<void>, place: string): Promise<boolean> => {
  try {
    await run(session, program)
    return true
  } catch (error) {
    if (!(error instanceof MergelawError) || error.code === 'missing-table' || error.code === 'connection') throw error
    complain(`${place}: not inserted: ${error.message}`)
    return false
  }
}
