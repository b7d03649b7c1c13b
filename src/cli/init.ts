import { run } from '../adapters/session.ts'
import { type ActivationReport, activate, initialise, isActivated } from '../subagents/index.ts'
import { activationJson, activationLog, activationText } from './activation-output.ts'
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
    .description(`${about}, and activate; running it again changes nothing; exit 1 when a step failed`)
    .requiredOption(...DB_OPTION)
    .option('--json', 'print {"created":[…],"existing":[…],"activation":[…]} on stdout')
    .action(init)
}

const init = async ({ db, json }: InitOptions): Promise<void> => {
  const { tables, report } = await withDatabase(db, { to: 'create' }, async (session) => ({
    tables: await run(session, initialise(session.dialect)),
    report: await activate(session, { log: activationLog }),
  }))
  if (json === true) await printJson({ ...tables, activation: activationJson(report) })
  else await print(textOf(tables.created, report))
  if (!isActivated(report)) process.exitCode = 1
}

/** What changed; where an activation did or failed anything, each of its steps. */
const textOf = (created: readonly string[], report: ActivationReport): string => {
  const isAllDone = report.steps.every(({ outcome }) => outcome === 'already_done')
  if (created.length === 0 && isAllDone) return 'nothing to do: all tables are there, and activated\n'
  return `${created.length === 0 ? '' : `created ${created.join(', ')}\n`}${isAllDone ? '' : activationText(report)}`
}
