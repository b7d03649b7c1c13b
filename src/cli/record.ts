import type { Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import {
  type Counters,
  createWriter,
  listBySession,
  type Warning,
} from '../subagents/index.ts'
import { complain } from './complain.ts'
import { DB_OPTION, withDatabase } from './connect.ts'
import { eachLine } from './frames.ts'
import { type Input, openInput } from './input.ts'
import { printJson } from './output.ts'
import { newProgress } from './progress.ts'
import { loadSessions } from './sessions.ts'
import type { Register } from './verb.ts'

interface RecordOptions {
  readonly db: string
  readonly sessions?: string
  readonly json?: boolean
}

export const registerRecord: Register = (program, about) => {
  program
    .command('record')
    .description(`${about}, and print the counters as one JSON object; exit 1 when a frame failed or was rejected`)
    .argument('<file>', 'frames, one JSON object a line; - is stdin')
    .requiredOption(...DB_OPTION)
    .option(
      '--sessions <file>',
      'first insert the parent sessions of this file ({"id","task_id"} a line); existing ones are left',
    )
    .option('--json', 'print one JSON document, which it does anyway')
    .action(record)
}

const record = async (file: string, { db, sessions }: RecordOptions): Promise<void> => {
  if (file === '-' && sessions === '-')
    throw new MergelawError('usage', 'stdin can be read only once: give a file for one of the two')
  const parents = sessions === undefined ? undefined : await openInput(sessions)
  const frames = await openInput(file)
  const summary = await withDatabase(db, { create: false }, async (session) => {
    // A missing table is one clear answer now, and not a failure of every frame.
    await listBySession(session, '')
    const rejectedSessions = parents === undefined ? 0 : await loadSessions(session, parents)
    const counters = await recordFrames(session, frames)
    return { ...counters, rejected: counters.rejected + rejectedSessions }
  })
  await printJson(summary)
  if (summary.failed + summary.rejected > 0) process.exitCode = 1
}

const recordFrames = async (session: Session, input: Input): Promise<Counters> => {
  let at = ''
  const progress = newProgress('frames')
  const warn = ({ task_session_id, tool_call_id, error }: Warning): void =>
    complain(`${at}: failed: session ${task_session_id}, tool call ${tool_call_id}: ${error}`)
  const writer = createWriter(session, { log: { warn } })
  const consume = (frame: unknown, place: string) => {
    at = place
    return writer.record(frame)
  }
  const unreadable = await eachLine(input, consume, progress.advance)
  progress.end()
  const counters = writer.counters()
  return { ...counters, rejected: counters.rejected + unreadable }
}
