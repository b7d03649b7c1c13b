import { run, type Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { activate, isActivated, missingHostTables } from '../subagents/index.ts'
import { activationJson, activationLog, activationText } from './activation-output.ts'
import { DB_OPTION, withDatabase } from './connect.ts'
import { print, printJson } from './output.ts'
import type { Register } from './verb.ts'

interface MigrateOptions {
  readonly db: string
  readonly json?: boolean
}

export const registerMigrate: Register = (program, about) => {
  program
    .command('migrate')
    .description(`${about}; exit 1 when a step failed or was held back by one that failed`)
    .requiredOption(...DB_OPTION)
    .option('--json', 'print {"steps":[…]} on stdout')
    .action(migrate)
}

const migrate = async ({ db, json }: MigrateOptions): Promise<void> => {
  const report = await withDatabase(db, { to: 'write' }, async (session) => {
    await requireHost(session)
    return activate(session, { log: activationLog })
  })
  if (json === true) await printJson({ steps: activationJson(report) })
  else await print(activationText(report))
  if (!isActivated(report)) process.exitCode = 1
}

/** A database without these is no host's, and an activation of it would only fail step by step. */
const requireHost = async (session: Session): Promise<void> => {
  const [table] = await run(session, missingHostTables(session.dialect))
  if (table !== undefined)
    throw new MergelawError('missing-table', `The host's table ${table} is missing.`, { details: { table } })
}
