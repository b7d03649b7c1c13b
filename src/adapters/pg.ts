import { type PgClient, simple } from './pg-query.ts'
import { type PgOptions, runOn, unwrap } from './pg-run.ts'
import { BrokenConnection, type Program } from './program.ts'
import type { AsyncSession } from './session.ts'

export type { PgClient, PgQuery, PgResult } from './pg-query.ts'
export type { PgOptions } from './pg-run.ts'

/** The slice of a pg Pool that the session uses. */
export interface PgPool {
  connect(): Promise<PgClient & { release(error?: Error | boolean): void }>
  /** pg's own pool has it: without it, a connection that is ended in the moment it is made ends the process. */
  on?(event: 'connect', listener: (client: PgClient) => void): unknown
}

/**
 * A session over a pg Pool: every run takes one connection and gives it back, so that runs may go on side by side.
 *
 * The connection is taken at the first step, so that a failure to connect is that step's error ('connection'). One that broke, or
 * whose transaction could not be ended, is discarded. Every connection that the pool makes from now on gets a listener for 'error';
 * the pool needs one of its own (`pool.on('error', …)`), or an idle connection that breaks ends the process.
 * All values arrive as the server's text, whatever type parsers are set. Rejects with MergelawError; codes as in `readPgError`.
 */
export const pgSession = (pool: PgPool, options: PgOptions = {}): AsyncSession => {
  listenFromTheStart(pool)
  return {
    dialect: 'postgres',
    mode: 'async',
    async run<T>(program: Program<T>): Promise<T> {
      const lease = takeOnce(pool)
      const outcome = await runOn(program, lease.take, options)
      lease.giveBack(outcome.spoiled)
      return unwrap(outcome)
    },
  }
}

const LISTENED_TO = new WeakSet<PgPool>()

/**
 * The server may say that a connection is ready and that it ends it in one chunk. pg then emits 'error' after the pool has taken its own
 * listener away and before `await pool.connect()` goes on; the next query on that connection says what happened.
 */
const listenFromTheStart = (pool: PgPool): void => {
  if (LISTENED_TO.has(pool)) return
  LISTENED_TO.add(pool)
  pool.on?.('connect', (client) => void client.on('error', () => undefined))
}

/**
 * A session over one connected pg Client, whose runs wait for each other, so that no two programs mix.
 *
 * The host keeps the client and must not use it while a run goes on. A transaction that the host has open is never touched, and
 * `begin` is refused inside it (pg versions without `getTransactionStatus` cannot tell: there, hand over the client outside one).
 * Once the connection is lost, every later run rejects with 'connection'. Listens for the client's 'error' from now on, so that a
 * connection lost between runs does not end the process; one that is lost before `await client.connect()` goes on is the host's to hear
 * of (`client.on('error', …)` before it connects, or the session made before it).
 */
export const pgClientSession = (client: PgClient, options: PgOptions = {}): AsyncSession => {
  let last: Promise<unknown> = Promise.resolve()
  let stuck = false
  client.on('error', () => undefined)
  const take = async (): Promise<PgClient> => {
    if (stuck) await recover(client)
    stuck = false
    return client
  }
  return {
    dialect: 'postgres',
    mode: 'async',
    run<T>(program: Program<T>): Promise<T> {
      const mine = last.then(() => runOn(program, take, options))
      last = mine.then((outcome) => {
        stuck ||= outcome.stuck
      })
      return mine.then(unwrap)
    },
  }
}

/** Never runs a program inside a transaction that an earlier run could not end. */
const recover = async (client: PgClient): Promise<void> => {
  try {
    await client.query(simple('ROLLBACK'))
  } catch (cause) {
    const message =
      'An earlier transaction on this connection could not be rolled back. Connect a new client and make a new session.'
    throw new BrokenConnection('connection', message, { cause })
  }
}

interface Lease {
  readonly take: () => Promise<PgClient>
  readonly giveBack: (spoiled: unknown) => void
}

/** Takes one connection when it is first needed; a failure to get one is every later step's failure too. */
const takeOnce = (pool: PgPool): Lease => {
  let taken: Promise<Awaited<ReturnType<PgPool['connect']>>> | undefined
  let release: ((spoiled: unknown) => void) | undefined
  const connect = async (): Promise<Awaited<ReturnType<PgPool['connect']>>> => {
    const client = await pool.connect()
    let failure: Error | undefined
    const listen = (error: Error): void => {
      failure = error
    }
    client.on('error', listen)
    release = (spoiled) => {
      client.removeListener('error', listen)
      const reason = spoiled ?? failure
      client.release(reason === undefined ? undefined : reason instanceof Error ? reason : true)
    }
    return client
  }
  return {
    take: () => (taken ??= connect()),
    giveBack: (spoiled) => release?.(spoiled),
  }
}
