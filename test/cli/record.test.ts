import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { run } from '../../src/adapters/session.ts'
import { initialise, insertSession, listAll } from '../../src/subagents/index.ts'
import { type CliOptions, mergelaw, scratch } from '../support/cli.ts'
import { line, SESSIONS, sampleLines } from './samples.ts'

const { path, file } = scratch()
let databases = 0

/** A fresh database with the session s1 in it, `record` on it, and what it then holds. */
const fresh = () => {
  const name = path(`${databases++}.db`)
  const session = sqliteSession(new Database(name))
  run(session, initialise('sqlite'))
  run(session, insertSession('sqlite')({ id: 's1', task_id: 't1' }))
  const record = (stdin: NonNullable<CliOptions['stdin']>) => mergelaw(['record', '--db', `sqlite:${name}`, '-'], { stdin })
  return { db: `sqlite:${name}`, record, rows: () => listAll(session) }
}

describe('lines', () => {
  it('a line that is no frame is rejected by line number, field and value, and the others are recorded', async () => {
    const { record, rows } = fresh()
    const text = [
      line({ tool_call_id: 'first' }),
      '{"task_session_id":',
      '[]',
      '',
      line({ task_id: 5 }),
      line({}, { total_tokens: 12.5 }),
      line({}, { total_tokens: 1 }).replace('"total_tokens":1', '"total_tokens":1e3'),
      line({}, { total_tokens: '12' }),
      line({}, { total_tokens: 1 }).replace('"total_tokens":1', '"total_tokens":9223372036854775808'),
      line({ observed_at: 'yesterday' }),
      '   \t ',
      line({ tool_call_id: 'last' }),
    ].join('\n')
    const { code, stdout, stderr } = await record(text)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ attempted: 2, persisted: 2, failed: 0, rejected: 8 })
    const said = stderr.trim().split('\n')
    expect(said.map((each) => /^stdin line (\d+): rejected: /.exec(each)?.[1])).toEqual(['2', '3', '5', '6', '7', '8', '9', '10'])
    const facts = [
      'bad JSON',
      '[]',
      'task_id: is no text: 5',
      '12.5',
      '1e3',
      '"12"',
      '9223372036854775808',
      'observed_at: is no RFC 3339',
    ]
    for (const [at, fact] of facts.entries()) expect(said[at]).toContain(fact)
    expect(rows().map((row) => row.tool_call_id)).toEqual(['first', 'last'])
  })

  it('a byte order mark, CRLF, U+2028 in a text, ill-formed UTF-8 and a last line without its break', async () => {
    const { record, rows } = fresh()
    const bad = Buffer.concat([
      Buffer.from(line({ tool_call_id: 'c' }, { model: 'MODEL' }).split('MODEL')[0] ?? ''),
      Buffer.from([0xff]),
      Buffer.from('"}}}'),
    ])
    const stdin = Buffer.concat([
      Buffer.from(`\uFEFF${line({ tool_call_id: 'a' })}\r\n\r\n${line({ tool_call_id: 'b' }, { description: '1\u20282' })}\r\n`),
      bad,
    ])
    expect(await record(stdin)).toMatchObject({ code: 0, stderr: '' })
    expect(rows().map((row) => [row.tool_call_id, row.description, row.model])).toEqual([
      ['a', null, null],
      ['b', '1\u20282', null],
      ['c', null, '\uFFFD'],
    ])
  })

  it('characters and lines that are cut by chunks come together again', async () => {
    const { record, rows } = fresh()
    const text = Buffer.from(`${line({}, { model: '😀ä' })}\n${line({ tool_call_id: 'c2' }, { model: 'ß' })}\n`)
    const bytes = Array.from(text, (byte) => Buffer.from([byte]))
    expect(await record(bytes as unknown as Iterable<string>)).toMatchObject({ code: 0 })
    expect(rows().map((row) => row.model)).toEqual(['😀ä', 'ß'])
  })

  // Catches: a limit that is off by one, or a long line that takes its neighbours with it.
  it('a line of 16 MiB is recorded, one byte more is rejected by its number, and the others are recorded', async () => {
    const { record, rows } = fresh()
    const ofLength = (tool_call_id: string, bytes: number): string => {
      const [head = '', tail = ''] = line({ tool_call_id }, { prompt: 'PROMPT' }).split('PROMPT')
      return `${head}${'x'.repeat(bytes - head.length - tail.length)}${tail}`
    }
    const limit = 16 * 1024 * 1024
    const lines = [ofLength('a', limit), ofLength('b', limit + 1), line({ tool_call_id: 'c' })]
    const { code, stdout, stderr } = await record(Buffer.from(lines.join('\n')))
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { persisted: 2, rejected: 1 }])
    expect(stderr).toBe(`stdin line 2: rejected: the frame: is longer than ${limit} bytes\n`)
    expect(rows().map((row) => row.tool_call_id)).toEqual(['a', 'c'])
  })

  it('an empty input is recorded as nothing', async () => {
    const { record } = fresh()
    expect(await record('')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"attempted":0') })
  })

  it('AC-27: a frame whose session is not there is failed, named by line, session and tool call; the rest is recorded', async () => {
    const { record } = fresh()
    const { code, stdout, stderr } = await record(`${line({ task_session_id: 'nobody', tool_call_id: 'lost' })}\n${line()}\n`)
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { attempted: 2, persisted: 1, failed: 1 }])
    expect(stderr).toMatch(/^stdin line 1: failed: session nobody, tool call lost: .*\n$/)
  })

  it('AC-2: skipped frames are no error', async () => {
    const { record } = fresh()
    expect(await record(line({ tool_call_id: '' }))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"skipped_no_identity":1'),
    })
  })
})

describe('sessions', () => {
  it('existing ones are left, new ones inserted, bad lines rejected by number', async () => {
    const { db, rows } = fresh()
    const sessions = file('more.ndjson', '{"id":"s1","task_id":"other"}\n{"task_id":"t"}\nnot json\n{"id":5}\n{"id":"s2"}\n')
    const { code, stdout, stderr } = await mergelaw(['record', '--db', db, '--sessions', sessions, '-'], {
      stdin: line({ task_session_id: 's2' }),
    })
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { persisted: 1, rejected: 3 }])
    expect(stderr.match(/line \d+/g)).toEqual(['line 2', 'line 3', 'line 4'])
    expect(rows().map((row) => row.task_session_id)).toEqual(['s2'])
    const stored = new Database(db.slice('sqlite:'.length)).prepare('SELECT id, task_id FROM task_sessions ORDER BY id').all()
    expect(stored).toEqual([
      { id: 's1', task_id: 't1' },
      { id: 's2', task_id: '' },
    ])
  })
})

describe('rows', () => {
  it('have the contract’s columns, int64 with all digits, is_async as a boolean and UTC instants with six digits', async () => {
    const { db, record } = fresh()
    const frame = line({ status: 'completed', observed_at: '2026-08-03T17:32:20.5+02:00' }, { total_tokens: 1, is_async: true })
    await record(frame.replace('"total_tokens":1', '"total_tokens":9223372036854775807'))
    const { stdout } = await mergelaw(['rows', '--db', db, '--session', 's1'])
    expect(stdout.replace(/^\{"id":"[0-9a-f-]{36}",/, '{')).toBe(
      '{"task_session_id":"s1","task_id":"t1","turn_id":null,"agent_execution_id":"e1","tool_call_id":"c1","parent_tool_call_id":null,' +
        '"subagent_type":null,"description":null,"agent_id":null,"child_session_id":null,"model":null,"agent_status":null,' +
        '"tool_status":"completed","is_async":true,"total_tokens":9223372036854775807,"tool_use_count":null,"duration_ms":null,' +
        '"source":"live","observed_at":"2026-08-03T15:32:20.500000Z","settled_at":"2026-08-03T15:32:20.500000Z",' +
        '"updated_at":"2026-08-03T15:32:20.500000Z"}\n',
    )
  })

  it('are those of one session, of one turn, or all; none is an empty answer', async () => {
    const { db, record } = fresh()
    await record(`${line({ turn_id: 'a', tool_call_id: 'c1' })}\n${line({ turn_id: 'b', tool_call_id: 'c2' })}\n`)
    const calls = async (...which: readonly string[]): Promise<readonly unknown[]> => {
      const { stdout } = await mergelaw(['rows', '--db', db, ...which, '--json'])
      return (JSON.parse(stdout) as readonly { readonly tool_call_id: unknown }[]).map((row) => row.tool_call_id)
    }
    expect(await calls('--turn', 'b')).toEqual(['c2'])
    expect(await calls('--session', 's1')).toEqual(['c1', 'c2'])
    expect(await calls('--session', 'nobody')).toEqual([])
    // Catches: an empty id taken for no choice, or for a wildcard.
    for (const which of ['--session', '--turn'])
      expect(await mergelaw(['rows', '--db', db, which, ''])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await mergelaw(['rows', '--db', db, '--turn', '', '--all'])).code).toBe(2)
  })
})

describe('at once', () => {
  it('AC-14: two processes that record the same frames at the same time leave one row per key', async () => {
    const { db, rows } = fresh()
    const stdin = sampleLines().join('\n')
    const both = await Promise.all([1, 2].map(() => mergelaw(['record', '--db', db, '--sessions', SESSIONS, '-'], { stdin })))
    expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(rows()).toHaveLength(253)
  })
})

describe('streams', () => {
  // 120 MB through a heap of 48 MB: whoever reads the input as a whole ends here.
  it('memory stays flat however long the input is', async () => {
    const big = JSON.stringify({ normalized: { kind: 'shell_exec', output: 'x'.repeat(20_000) } })
    function* input() {
      for (let at = 0; at < 6_000; at++) yield `${big}\n`
    }
    const { code, stderr } = await mergelaw(['replay', '-'], { stdin: input(), node: ['--max-old-space-size=48'] })
    // A file of other frames alone is legal, and hardly ever what was meant.
    expect([code, stderr]).toEqual([0, 'no line of 6000 is a frame of a subagent; is this the right file?\n'])
  })

  // Catches: all rows in memory before the first is printed.
  it('rows --all needs the memory of one session, however many there are', async () => {
    const { db } = fresh()
    const raw = new Database(db.slice('sqlite:'.length))
    const numbers = (below: number) => `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${below})`
    raw.exec(`${numbers(100)} INSERT INTO task_sessions SELECT 'many ' || i, 't' FROM n;
      ${numbers(60_000)} INSERT INTO task_session_subagents
        (id, task_session_id, task_id, agent_execution_id, tool_call_id, description, observed_at, updated_at)
        SELECT i, 'many ' || (i % 100), 't', 'e', i, 'x', '2026-08-03T15:32:20.000001Z', '2026-08-03T15:32:20.000001Z' FROM n`)
    const { code, stdout, stderr } = await mergelaw(['rows', '--db', db, '--all'], { node: ['--max-old-space-size=32'] })
    expect([code, stderr]).toEqual([0, ''])
    const order = [...stdout.matchAll(/"task_session_id":"([^"]*)"/g)].map(([, session]) => session ?? '')
    expect(order).toHaveLength(60_000)
    expect(order.every((session, at) => at === 0 || (order[at - 1] ?? '') <= session)).toBe(true)
  })

  it('rows --all --json of nothing is an empty array', async () => {
    expect((await mergelaw(['rows', '--db', fresh().db, '--all', '--json'])).stdout).toBe('[]\n')
  })

  it('a reader that stops early ends the command quietly', async () => {
    const { db, record } = fresh()
    const frames = Array.from({ length: 1500 }, (_, at) => line({ tool_call_id: `call ${at}` }, { description: 'x'.repeat(300) }))
    await record(frames.join('\n'))
    const { code, stderr } = await mergelaw(['rows', '--db', db, '--all'], { stopReading: true })
    expect([code, stderr]).toEqual([0, ''])
  })
})
