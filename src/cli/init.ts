import { run } from '../adapters/session.ts'
import { initialise } from '../subagents/index.ts'
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
    .description(`${about}; running it again changes nothing`)
    .requiredOption(...DB_OPTION)
    .option('--json', 'print {"created":[…],"existing":[…]} on stdout')
    .action(init)
}

const init = async ({ db, json }: InitOptions): Promise<void> => {
  const done = await withDatabase(db, { create: true }, async (session) => run(session, initialise(session.dialect)))
  if (json === true) await printJson(done)
  else await print(done.created.length === 0 ? 'nothing to do: all tables are there\n' : `created ${done.created.join(', ')}\n`)
}
