/** What happens once per vitest run: the seed is chosen and printed, PostgreSQL is started, and what cannot run is named. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vitest/config'
import type { TestProject, Vitest } from 'vitest/node'
import { type PostgresServer, type PostgresVersion, startAllPostgres } from './postgres-server.ts'
import { isCi, seedOf } from './seed.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    seed: number
    postgres: readonly { readonly version: PostgresVersion; readonly url: string }[]
  }
}

const NEEDS_POSTGRES = '.pg.test.ts'

const suitesThatNeedPostgres = (root: string): readonly string[] =>
  ['test', 'properties']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(NEEDS_POSTGRES))
    .sort()

/** The closing line of a run without PostgreSQL: what did not run, file by file, and why. */
export const notRunMessage = (suites: readonly string[], reason: string): string =>
  [`${suites.length} suites not run: ${suites.join(', ')}`, `because PostgreSQL could not be started: ${reason}`].join('\n')

const runWithoutPostgres = (vitest: Vitest, project: TestProject, reason: string): void => {
  project.config.exclude.push(`**/*${NEEDS_POSTGRES}`)
  vitest.onClose(() => console.log(notRunMessage(suitesThatNeedPostgres(vitest.config.root), reason)))
}

const startOrExplain = async (): Promise<readonly PostgresServer[] | string> => {
  try {
    return await startAllPostgres()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (!isCi()) return reason
    throw new Error(`CI=true needs PostgreSQL, and it could not be started: ${reason}`, { cause: error })
  }
}

const prepare = async (vitest: Vitest, project: TestProject): Promise<void> => {
  const seed = seedOf()
  console.log(`fast-check seed ${seed} (MERGELAW_SEED=${seed} repeats this run)`)
  project.provide('seed', seed)
  const servers = await startOrExplain()
  if (typeof servers === 'string') runWithoutPostgres(vitest, project, servers)
  else vitest.onClose(async () => void (await Promise.all(servers.map((server) => server.stop()))))
  project.provide('postgres', typeof servers === 'string' ? [] : servers.map(({ version, url }) => ({ version, url })))
}

/** The vitest plugin that prepares a run: before files are chosen, since without PostgreSQL some must not be. */
export const prepareRun = (): Plugin => ({
  name: 'mergelaw:prepare-run',
  // oxlint-disable-next-line typescript/no-misused-promises -- vitest awaits this hook, though its type does not say so
  configureVitest: ({ vitest, project }) => prepare(vitest, project),
})
