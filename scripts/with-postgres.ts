/** `tsx scripts/with-postgres.ts COMMAND…`: runs a command with MERGELAW_TEST_POSTGRES and MERGELAW_TEST_POSTGRES_15 set. */
import { spawn } from 'node:child_process'
import { POSTGRES_SOURCES, startAllPostgres } from '../test/support/postgres-server.ts'

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
    // The command decides what a signal means to it; the servers are stopped when it has ended.
    process.on('SIGINT', () => undefined)
    process.on('SIGTERM', () => child.kill('SIGTERM'))
  })

const main = async ([command, ...args]: readonly string[]): Promise<number> => {
  if (command === undefined) {
    console.error('usage: tsx scripts/with-postgres.ts COMMAND [ARGUMENT…]')
    return 2
  }
  const servers = await startAllPostgres()
  const urls = POSTGRES_SOURCES.map(({ variable, version }) => [
    variable,
    servers.find((server) => server.version === version)?.url,
  ])
  try {
    return await run(command, args, { ...process.env, ...Object.fromEntries(urls) })
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

process.exitCode = await main(process.argv.slice(2))
