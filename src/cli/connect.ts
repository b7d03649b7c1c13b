import { messageOf } from '../adapters/errors.ts'
import { type Program, query } from '../adapters/program.ts'
import type { AsyncSession, Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'

/** How every verb describes `--db`. */
export const DB_OPTION = ['--db <url>', 'sqlite:PATH, or postgres://user:password@host:port/database'] as const

interface Connection {
  readonly session: Session
  readonly close: () => Promise<void> | void
}

/** Opens the database of `--db`, runs the body and closes it. A missing table is answered with what to do. */
export const withDatabase = async <T>(
  url: string,
  options: ConnectOptions,
  body: (session: Session) => Promise<T>,
): Promise<T> => {
  const { session, close } = await connect(url, options)
  try {
    return await body(session)
  } catch (error) {
    if (!(error instanceof MergelawError) || error.code !== 'missing-table') throw error
    const { table } = error.details
    throw new MergelawError(
      'missing-table',
      `${display(url)} has no ${typeof table === 'string' ? table : 'such table'} yet: run mergelaw init --db URL first`,
      {
        cause: error,
      },
    )
  } finally {
    await close()
  }
}

interface ConnectOptions {
  /** Whether a SQLite file that is not there is created. */
  readonly create: boolean
}

const connect = async (url: string, options: ConnectOptions): Promise<Connection> => {
  if (!/^(sqlite:.|postgres(ql)?:\/\/)/.test(url)) {
    throw new MergelawError(
      'usage',
      `--db ${display(url)} is no database URL: give sqlite:PATH or postgres://user:password@host:port/database`,
    )
  }
  try {
    return url.startsWith('sqlite:') ? await connectSqlite(url.slice('sqlite:'.length), options) : await connectPostgres(url)
  } catch (error) {
    throw new MergelawError('connection', `could not open ${display(url)}: ${withoutPassword(url, reasonOf(error))}`, {
      cause: error,
    })
  }
}

/** The driver's own words: the step that met the error was ours, and means nothing to who typed the URL. */
const reasonOf = (error: unknown): string =>
  messageOf(error instanceof MergelawError && error.code !== 'usage' ? (error.cause ?? error) : error)

const connectSqlite = async (path: string, { create }: ConnectOptions): Promise<Connection> => {
  const { default: Database } = await driver('better-sqlite3', () => import('better-sqlite3'))
  const { sqliteSession } = await import('../adapters/better-sqlite3.ts')
  const database = new Database(path, { fileMustExist: !create })
  try {
    // Every checkpoint waits for the disk. A command ends soon, and closing the file makes one anyway: until then 40 MB may wait.
    database.pragma('wal_autocheckpoint = 10000')
    return { session: sqliteSession(database), close: () => void database.close() }
  } catch (error) {
    database.close()
    throw error
  }
}

const connectPostgres = async (url: string): Promise<Connection> => {
  const { default: pg } = await driver('pg', () => import('pg'))
  const { pgSession } = await import('../adapters/pg.ts')
  const pool = new pg.Pool({ connectionString: url, application_name: 'mergelaw' })
  // An idle connection that breaks is noticed by the next statement; without a listener it would end the process.
  pool.on('error', () => undefined)
  const session = pgSession(pool)
  const close = (): Promise<void> => pool.end()
  try {
    await ping(session)
    return { session, close }
  } catch (error) {
    await close()
    throw error
  }
}

const ping = (session: AsyncSession): Promise<unknown> => {
  const program = (): Program<unknown> => query('connect', 'SELECT 1', [], () => true)
  return session.run(program())
}

/** The drivers are optional peers of the library. */
const driver = async <T>(name: string, load: () => Promise<T>): Promise<T> => {
  try {
    return await load()
  } catch (cause) {
    throw new MergelawError(
      'usage',
      `the package ${name} cannot be loaded; install it: npm install ${name} (${messageOf(cause)})`,
      { cause },
    )
  }
}

/** A URL as it may be printed: without the password, and without the query, which may hold one too. */
const display = (url: string): string => {
  if (url.startsWith('sqlite:')) return url
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0]
  if (scheme === undefined) return JSON.stringify(url)
  try {
    const { username, host, pathname } = new URL(url)
    return `${scheme}${username === '' ? '' : `${username}@`}${host}${pathname}`
  } catch {
    return `${scheme}…`
  }
}

const withoutPassword = (url: string, text: string): string => {
  const secrets = passwordsOf(url).filter((secret) => secret !== '')
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
}

const passwordsOf = (url: string): readonly string[] => {
  if (!URL.canParse(url)) return [url]
  const { password, searchParams } = new URL(url)
  return [password, decoded(password), searchParams.get('password') ?? '']
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
