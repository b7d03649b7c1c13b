import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:net'
import { isLeft } from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { type PgQuery, type PgResult, pgClientSession, pgSession } from '../../src/adapters/pg.ts'
import { attempt, BrokenConnection, execute, type Program, query, transaction } from '../../src/adapters/program.ts'

const OK: PgResult = { command: 'SELECT', rowCount: 0, rows: [] }

/** A client whose answers the test writes: for what a real server cannot be made to do at a chosen moment. */
class FakeClient extends EventEmitter {
  readonly sent: string[] = []
  readonly released: unknown[] = []
  readonly #reply: (text: string, query: PgQuery) => PgResult
  constructor(reply: (text: string, query: PgQuery) => PgResult) {
    super()
    this.#reply = reply
  }
  async query(asked: PgQuery): Promise<PgResult> {
    this.sent.push(asked.text)
    return this.#reply(asked.text, asked)
  }
  release(error?: Error | boolean): void {
    this.released.push(error)
  }
}

/** A message of PostgreSQL's protocol: its type, its length, its body. */
const wire = (type: string, body: string | Buffer): Buffer => {
  const bytes = Buffer.from(body)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

/** Answers every start-up in one chunk: authenticated, ready, and ended by an administrator. */
const endingServer = async () => {
  const fatal = wire('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
  const hello = Buffer.concat([wire('R', Buffer.alloc(4)), wire('Z', 'I'), fatal])
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(hello))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return { port, close: () => new Promise((resolve) => server.close(resolve)) }
}

const overPool = async (config: pg.PoolConfig) => {
  const pool = new pg.Pool(config).on('error', () => undefined)
  return { session: pgSession(pool), end: () => pool.end() }
}

const overClient = async (config: pg.ClientConfig) => {
  const client = new pg.Client(config)
  const session = pgClientSession(client)
  await client.connect()
  return { session, end: () => client.end() }
}

const read = (): Program<readonly unknown[]> => query('read', 'select 1', [], (row) => row)
const broken = (): Error => new Error('Connection terminated unexpectedly')

describe('pg, where a real server cannot be made to', () => {
  // Catches: a listener missing while the connection is held: an 'error' event without one ends the process.
  it('adapter: an error event between queries is survived, and the connection discarded', async () => {
    const lost = broken()
    const client = new FakeClient(() => {
      queueMicrotask(() => client.emit('error', lost))
      return OK
    })
    await pgSession({ connect: async () => client }).run(read())
    expect(client.released).toEqual([lost])
    expect(client.listenerCount('error')).toBe(0)
  })

  // Catches: a listener that is added only once `await pool.connect()` goes on.
  it('adapter: a connection that the server ends in the chunk that made it is one failed run, not the end of the process', async () => {
    const pool = Object.assign(new EventEmitter(), { connect: async () => client })
    const client = new FakeClient(() => {
      throw new Error('Client has encountered a connection error and is not queryable')
    })
    const sessions = [pgSession(pool), pgSession(pool)]
    expect(pool.listenerCount('connect')).toBe(1)
    pool.emit('connect', client)
    expect(client.emit('error', broken())).toBe(true)
    await expect(sessions[0]?.run(read())).rejects.toMatchObject({ code: 'connection' })
    expect(client.released).toEqual([expect.any(Error)])
  })

  // The same with the real driver, and a server that does nothing else: `emit` of an 'error' that nobody hears throws in its socket.
  it.each([
    ['pool', overPool],
    ['client', overClient],
  ])('adapter: a real pg %s that is ended as soon as it is ready ends no process', async (_kind, open) => {
    const server = await endingServer()
    const uncaught: unknown[] = []
    const listen = (error: unknown): number => uncaught.push(error)
    process.on('uncaughtExceptionMonitor', listen)
    const { session, end } = await open({ host: '127.0.0.1', port: server.port, user: 'u', database: 'd', ssl: false })
    await expect(session.run(read())).rejects.toMatchObject({ code: 'connection' })
    await end()
    process.off('uncaughtExceptionMonitor', listen)
    await server.close()
    expect(uncaught).toEqual([])
  })

  it('adapter: a plain error keeps the connection', async () => {
    const client = new FakeClient(() => {
      throw Object.assign(new Error('duplicate key'), { code: '23505' })
    })
    await expect(pgSession({ connect: async () => client }).run(read())).rejects.toMatchObject({ code: 'constraint' })
    expect(client.released).toEqual([undefined])
  })

  // Catches: "failed" said of a commit that may have happened.
  it('adapter: a COMMIT whose answer is lost says that the outcome is not known', async () => {
    const client = new FakeClient((text) => {
      if (text === 'COMMIT' || text === 'ROLLBACK') throw broken()
      return OK
    })
    const error: unknown = await pgSession({ connect: async () => client })
      .run(transaction('write', read))
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BrokenConnection)
    expect(error).toMatchObject({ details: { reason: { code: 'connection', message: expect.stringContaining('is not known') } } })
    expect(client.released).toEqual([expect.any(Error)])
  })

  // Catches: BEGIN whose answer was lost taken for one that never happened.
  it('adapter: a BEGIN whose answer is lost is rolled back', async () => {
    const client = new FakeClient((text) => {
      if (text === 'BEGIN') throw new Error('Query read timeout')
      return OK
    })
    await expect(pgSession({ connect: async () => client }).run(transaction('write', read))).rejects.toMatchObject({
      code: 'connection',
    })
    expect(client.sent).toEqual(['BEGIN', 'ROLLBACK'])
    expect(client.released).toEqual([expect.any(Error)])
  })

  // Catches: a single client reused inside the transaction that could not be ended.
  it('adapter: on one client a failed ROLLBACK is made up for before anything else runs', async () => {
    let works = false
    const client = new FakeClient((text) => {
      if (text === 'ROLLBACK' && !works) throw Object.assign(new Error('no'), { code: 'XX000' })
      if (text === 'select bad') throw Object.assign(new Error('bad'), { code: '22P02' })
      return OK
    })
    const session = pgClientSession(client)
    const bad = (): Program<number> => execute('bad', 'select bad', [])
    await expect(session.run(transaction('write', bad))).rejects.toBeInstanceOf(BrokenConnection)
    await expect(session.run(read())).rejects.toBeInstanceOf(BrokenConnection)
    expect(client.sent).not.toContain('select 1')
    works = true
    await session.run(read())
    expect(client.sent.slice(-2)).toEqual(['ROLLBACK', 'select 1'])
  })

  it('adapter: a client of an older pg, without transaction status, runs transactions too', async () => {
    const client = new FakeClient((text) => ({ ...OK, command: text }))
    await pgClientSession(client).run(transaction('write', read))
    expect(client.sent).toEqual(['BEGIN', 'select 1', 'COMMIT'])
  })

  it('adapter: results in binary are refused with what to do', async () => {
    const client = new FakeClient((_text, { types }) => {
      types.getTypeParser(20, 'binary')('bytes')
      return OK
    })
    await expect(pgSession({ connect: async () => client }).run(read())).rejects.toMatchObject({ code: 'usage' })
  })

  it('adapter: more parameters than the protocol counts are refused before they are sent', async () => {
    const client = new FakeClient(() => OK)
    const wide = query('wide', 'select', Array(65_536).fill(null), (row) => row)
    await expect(pgSession({ connect: async () => client }).run(wide)).rejects.toMatchObject({ code: 'unsupported-value' })
    expect(client.sent).toEqual([])
  })

  // Catches: a step that runs on a fresh connection after the step before it got none.
  it('adapter: a program that could not connect does not connect later on', async () => {
    let asked = 0
    const pool = {
      connect: async () => {
        asked += 1
        if (asked === 1) throw broken()
        return new FakeClient(() => OK)
      },
    }
    function* twice(): Program<readonly string[]> {
      const ends = [yield* attempt(read()), yield* attempt(read())]
      return ends.map((end) => (isLeft(end) ? end.left.code : 'answered'))
    }
    expect(await pgSession(pool).run(twice())).toEqual(['connection', 'connection'])
    expect(asked).toBe(1)
  })

  it('adapter: a program without steps takes no connection', async () => {
    let taken = 0
    const pool = {
      connect: async () => {
        taken += 1
        return new FakeClient(() => OK)
      },
    }
    function* nothing(rows: readonly string[]): Program<string> {
      for (const row of rows) yield* execute('row', row, [])
      return 'done'
    }
    expect([await pgSession(pool).run(nothing([])), taken]).toEqual(['done', 0])
  })
})
