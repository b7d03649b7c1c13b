import { isLeft } from 'fp-ts/lib/Either.js'
import { type Program, transaction } from '../adapters/program.ts'
import { run, type Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { decodeMessage, type HostMessage, initialiseHost, insertMessage } from '../subagents/index.ts'
import { complain } from './complain.ts'
import { DB_OPTION, withDatabase } from './connect.ts'
import { eachLine } from './frames.ts'
import { A_LINE, type Input, openInput } from './input.ts'
import { print, printJson } from './output.ts'
import { loadSessions } from './sessions.ts'
import type { Register } from './verb.ts'

interface LoadOptions {
  readonly db: string
  readonly sessions?: string
  readonly json?: boolean
}

export const registerLoadMessages: Register = (program, about) => {
  program
    .command('load-messages')
    .description(`${about}; host tables that are missing are created, and nothing is activated; exit 1 when a line was rejected`)
    .argument('<file>', `columns of task_session_messages, ${A_LINE}; updated_at is created_at where it is absent`)
    .requiredOption(...DB_OPTION)
    .option(
      '--sessions <file>',
      'first insert the parent sessions of this file ({"id","task_id"} a line); existing ones are left',
    )
    .option('--json', 'print {"inserted","alreadyPresent","rejected"} on stdout')
    .action(load)
}

const load = async (file: string, { db, sessions, json }: LoadOptions): Promise<void> => {
  if (file === '-' && sessions === '-')
    throw new MergelawError('usage', 'stdin can be read only once: give a file for one of the two')
  const parents = sessions === undefined ? undefined : await openInput(sessions)
  const messages = await openInput(file)
  const summary = await withDatabase(db, { to: 'create' }, async (session) => {
    await run(session, initialiseHost(session.dialect))
    const rejectedSessions = parents === undefined ? 0 : await loadSessions(session, parents)
    const loaded = await loadMessages(session, messages)
    return { ...loaded, rejected: loaded.rejected + rejectedSessions }
  })
  if (json === true) await printJson(summary)
  else await print(`${summary.inserted} inserted, ${summary.alreadyPresent} already present, ${summary.rejected} rejected\n`)
  if (summary.rejected > 0) process.exitCode = 1
}

interface Loaded {
  inserted: number
  alreadyPresent: number
  rejected: number
}

interface Placed {
  readonly message: HostMessage
  readonly place: string
}

/** One transaction for so many messages; where one of them fails, each is tried by itself. */
const MESSAGES_A_TRANSACTION = 500

const loadMessages = async (session: Session, input: Input): Promise<Loaded> => {
  const loaded: Loaded = { inserted: 0, alreadyPresent: 0, rejected: 0 }
  let waiting: Placed[] = []
  const flush = async (): Promise<void> => {
    await insertAll(session, waiting, loaded)
    waiting = []
  }
  const unreadable = await eachLine(input, async (line, place) => {
    const decoded = decodeMessage(line, session.dialect)
    if (isLeft(decoded)) {
      loaded.rejected++
      return decoded.left
    }
    waiting.push({ message: decoded.right, place })
    if (waiting.length === MESSAGES_A_TRANSACTION) await flush()
    return undefined
  })
  await flush()
  loaded.rejected += unreadable
  return loaded
}

const insertAll = async (session: Session, placed: readonly Placed[], loaded: Loaded): Promise<void> => {
  const insert = insertMessage(session.dialect)
  function* all(): Program<number> {
    let inserted = 0
    for (const { message } of placed) if (yield* insert(message)) inserted++
    return inserted
  }
  try {
    const inserted = await run(session, transaction('load messages', all))
    loaded.inserted += inserted
    loaded.alreadyPresent += placed.length - inserted
  } catch (error) {
    aboutOne(error)
    for (const each of placed) await insertOne(session, insert(each.message), each, loaded)
  }
}

const insertOne = async (
  session: Session,
  program: Program<boolean>,
  { message, place }: Placed,
  loaded: Loaded,
): Promise<void> => {
  try {
    if (await run(session, program)) loaded.inserted++
    else loaded.alreadyPresent++
  } catch (thrown) {
    const error = aboutOne(thrown)
    loaded.rejected++
    const why =
      error.code === 'foreign-key'
        ? `the session ${JSON.stringify(message.task_session_id)} is not in task_sessions; give it with --sessions`
        : error.message
    complain(`${place}: rejected: ${why}`)
  }
}

/** The error, where another message may fare better; what concerns every message is thrown. */
const aboutOne = (error: unknown): MergelawError => {
  if (!(error instanceof MergelawError) || error.code === 'missing-table' || error.code === 'connection') throw error
  return error
}
