import { run } from '../adapters/session.ts'
import { activate, initialise, isActivated } from '../subagents/index.ts'
import { activationJson, activationLog } from './activation-output.ts'
import { DB_OPTION, withDatabase } from './connect.ts'
import { print, printJson } from './output.ts'
import type { Register } from './verb.ts'

interface InitOptions {
  readonly db: string
  readonly json?: boolean
}

export const registerInit: Register = (program, about) => {
  program
    .command('init')
    .description(`${about}, and activate; running it again changes nothing`)
    .requiredOption(...DB_OPTION)
    .option('--json', 'print {"created":[…],"existing":[…],"activation":[…]} on stdout')
    .action(init)
}

const init = async ({ db, json }: InitOptions): Promise<void> => {
  const { tables, report } = await withDatabase(db, { to: 'create' }, async (session) => ({
    tables: await run(session, initialise(session.dialect)),
    report: await activate(session, { log: activationLog }),
  }))
  const { created } = tables
  if (json === true) await printJson({ ...tables, activation: activationJson(report) })
  else await print(created.length === 0 ? 'nothing to do: all tables are there\n' : `created ${created.join(', ')}\n`)
  if (!isActivated(report)) process.exitCode = 1
}
