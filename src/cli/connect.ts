import { existsSync } from 'node:fs'
import { openSqlite } from '../adapters/open-sqlite.ts'
import { type Program, query } from '../adapters/program.ts'
import type { AsyncSession, Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import { messageOf } from '../util/message-of.ts'
import { display, withoutPassword } from './database-url.ts'
import { withoutSslWarning } from './ssl-warning.ts'

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

export interface ConnectOptions {
  /** A SQLite file that is not there is made to `create`, one that cannot be written is opened to `read`. */
  readonly to: 'create' | 'write' | 'read'
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

const connectSqlite = async (path: string, { to }: ConnectOptions): Promise<Connection> => {
  // sqlite://c.db is how other tools write it, and would be the file /c.db here.
  if (/^\/\/[^/]/.test(path)) throw new MergelawError('usage', 'write sqlite:PATH, without the two slashes')
  if (to !== 'create' && path !== ':memory:' && !existsSync(path)) {
    throw new MergelawError('usage', 'there is no such file; mergelaw init --db URL makes one')
  }
  const { default: Database } = await driver('better-sqlite3', () => import('better-sqlite3'))
  return openSqlite(Database, path, to)
}

const connectPostgres = async (url: string): Promise<Connection> => {
  const { default: pg } = await driver('pg', () => import('pg'))
  const { pgSession } = await import('../adapters/pg.ts')
  withoutSslWarning()
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
