import type { Command } from 'commander'
import type { Session } from '../adapters/session.ts'
import { listBySession, listByTurn, listSessions, type SubagentContext } from '../subagents/index.ts'
import { DB_OPTION, withDatabase } from './connect.ts'
import { printRows, rowJson } from './output.ts'
import type { Register } from './verb.ts'

interface RowsOptions {
  readonly db: string
  readonly session?: string
  readonly turn?: string
  readonly all?: boolean
  readonly json?: boolean
}

export const registerRows: Register = (program, about) => {
  program
    .command('rows')
    .description(`${about}, by observed_at, tool_call_id, agent_execution_id`)
    .requiredOption(...DB_OPTION)
    .option('--session <id>', 'the subagents of one session')
    .option('--turn <id>', 'the subagents of one turn')
    .option('--all', 'every subagent, by session and then in that order')
    .option('--json', 'print one JSON array instead')
    .action(rows)
}

const rows = async (options: RowsOptions, command: Command): Promise<void> => {
  const asked = [options.session, options.turn, options.all].filter((option) => option !== undefined)
  if (asked.length !== 1) command.error('error: give exactly one of --session ID, --turn ID and --all')
  await withDatabase(options.db, { to: 'read' }, (session) => printRows(found(session, options), options.json === true))
}

/** All rows session by session, so that memory holds one session's, however many there are. */
async function* found(session: Session, options: RowsOptions): AsyncGenerator<string> {
  if (options.turn !== undefined) return yield* asJson(await listByTurn(session, options.turn))
  const sessions = options.session === undefined ? await listSessions(session) : [options.session]
  for (const id of sessions) yield* asJson(await listBySession(session, id))
}

function* asJson(rows: readonly SubagentContext[]): Generator<string, void> {
  for (const row of rows) yield rowJson(row)
}
