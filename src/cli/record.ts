import { MergelawError } from '../errors/index.ts'
import { listBySession } from '../subagents/reads.ts'
import { complainOfIgnored } from './complain.ts'
import { DB_OPTION, withDatabase } from './connect.ts'
import { A_LINE, openInput } from './input.ts'
import { printJson } from './output.ts'
import { DEFAULT_BATCH, recordFrames } from './record-frames.ts'
import { loadSessions } from './sessions.ts'
import type { Register } from './verb.ts'

interface RecordOptions {
  readonly db: string
  readonly sessions?: string
  readonly batch?: number
  readonly json?: boolean
}

export const registerRecord: Register = (program, about) => {
  program
    .command('record')
    .description(`${about}, and print the counters as one JSON object; exit 1 when a frame failed or was rejected`)
    .argument('<file>', `frames, ${A_LINE}`)
    .requiredOption(...DB_OPTION)
    .option(
      '--sessions <file>',
      'first insert the parent sessions of this file ({"id","task_id"} a line); existing ones are left',
    )
    .option(
      '--batch <n>',
      'frames a transaction; 1 is one statement for each frame (default: what measures best for the database)',
      wholeNumber,
    )
    .option('--json', 'print one JSON document, which it does anyway')
    .action(record)
}

const record = async (file: string, { db, sessions, batch }: RecordOptions): Promise<void> => {
  if (file === '-' && sessions === '-')
    throw new MergelawError('usage', 'stdin can be read only once: give a file for one of the two')
  const parents = sessions === undefined ? undefined : await openInput(sessions)
  const frames = await openInput(file)
  const summary = await withDatabase(db, { to: 'write' }, async (session) => {
    // A missing table is one clear answer now, and not a failure of every frame.
    await listBySession(session, '')
    const rejectedSessions = parents === undefined ? 0 : await loadSessions(session, parents)
    const counters = await recordFrames(session, frames, batch ?? DEFAULT_BATCH[session.dialect])
    return { ...counters, rejected: counters.rejected + rejectedSessions }
  })
  await printJson(summary)
  complainOfIgnored(summary)
  if (summary.failed + summary.rejected > 0) process.exitCode = 1
}

const wholeNumber = (text: string): number => {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= MAX_BATCH) return value
  throw new MergelawError('usage', `--batch ${text}: give a whole number from 1 to ${MAX_BATCH}`)
}
/** All frames of a batch are in memory at once. */
const MAX_BATCH = 1_000_000
