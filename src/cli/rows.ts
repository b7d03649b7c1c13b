import type { Command } from 'commander'
import type { Session } from '../adapters/session.ts'
import { listAll, listBySession, listByTurn, type SubagentContext } from '../subagents/index.ts'
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
  const found = await withDatabase(options.db, { to: 'read' }, async (session) => find(session, options))
  await printRows(
    found.map((row) => rowJson(row)),
    options.json === true,
  )
}

const find = (session: Session, options: RowsOptions): readonly SubagentContext[] | Promise<readonly SubagentContext[]> => {
  if (options.session !== undefined) return listBySession(session, options.session)
  return options.turn === undefined ? listAll(session) : listByTurn(session, options.turn)
}
