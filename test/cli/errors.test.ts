import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { mergelaw, scratch } from '../support/cli.ts'
import { FRAMES } from './samples.ts'

const { path, file } = scratch()
const db = `sqlite:${path('there.db')}`
const SECRET = 'hunter2'

describe('wrong usage and what cannot be opened: exit 2, one line, no stack trace, no password', () => {
  const noDatabase = file('no-database', 'this is no database, and longer than the header of one would be: '.repeat(20))
  it.each([
    ['an unknown verb', ['nope'], /unknown command 'nope'/],
    ['an unknown option', ['rows', '--db', db, '--nope'], /unknown option '--nope'/],
    ['no --db', ['rows', '--all'], /--db <url>/],
    ['no file', ['record', '--db', db], /missing required argument 'file'/],
    ['no choice of rows', ['rows', '--db', db], /exactly one of --session ID, --turn ID and --all/],
    ['two choices of rows', ['rows', '--db', db, '--all', '--turn', 't'], /exactly one/],
    ['stdin twice', ['record', '--db', db, '--sessions', '-', '-'], /stdin can be read only once/],
    ['another kind of URL', ['rows', '--db', `mysql://u:${SECRET}@h/d`, '--all'], /mysql:\/\/u@h\/d is no database URL/],
    [
      'a SQLite file that is not there',
      ['rows', '--db', `sqlite:${path('none.db')}`, '--all'],
      /could not open sqlite:.*none\.db: there is no such file; mergelaw init/,
    ],
    ['a SQLite URL of other tools', ['init', '--db', 'sqlite://c.db'], /without the two slashes/],
    ['a SQLite folder that is not there', ['init', '--db', `sqlite:${path('no/folder.db')}`], /could not open/],
    [
      'a file that is no database',
      ['rows', '--db', `sqlite:${noDatabase}`, '--all'],
      /could not open .*: file is not a database/,
    ],
    [
      'a server that is not there',
      ['rows', '--db', `postgres://u:${SECRET}@127.0.0.1:1/d?password=${SECRET}`, '--all'],
      /could not open postgres:\/\/u@127\.0\.0\.1:1\/d: .*ECONNREFUSED/,
    ],
    // pg quotes the path of a certificate, and so may anything else that it takes from the URL.
    [
      'a password that the driver quotes',
      ['rows', '--db', `postgres://u:${SECRET}@127.0.0.1:1/d?sslrootcert=/none/${SECRET}`, '--all'],
      /ENOENT: .*\/none\/\*\*\*/,
    ],
    [
      'a password in the query that the driver quotes',
      ['rows', '--db', `postgres://u@127.0.0.1:1/d?password=${SECRET}&sslrootcert=/none/${SECRET}`, '--all'],
      /ENOENT: .*\/none\/\*\*\*/,
    ],
    [
      'a password with escapes that the driver quotes decoded',
      ['rows', '--db', `postgres://u:h%75nter%32@127.0.0.1:1/d?sslrootcert=/none/${SECRET}`, '--all'],
      /ENOENT: .*\/none\/\*\*\*/,
    ],
    [
      'a password in the query with escapes that the driver quotes decoded',
      ['rows', '--db', `postgres://u@127.0.0.1:1/d?password=h%75nter%32&sslrootcert=/none/${SECRET}`, '--all'],
      /ENOENT: .*\/none\/\*\*\*/,
    ],
    // Catches: the nine lines that pg warns with.
    ['an sslmode', ['rows', '--db', `postgres://u:${SECRET}@127.0.0.1:1/d?sslmode=require`, '--all'], /ECONNREFUSED/],
    ['a URL that cannot be read', ['rows', '--db', `postgres://u:${SECRET}@[/d`, '--all'], /could not open postgres:\/\/…/],
    ['a file that is not there', ['replay', path('none.ndjson')], /could not read .*none\.ndjson/],
    ['a folder instead of a file', ['replay', path('.')], /is a directory/],
    ['a folder that cannot be written', ['sql', '--out', FRAMES], /could not read|could not write/],
  ])('%s', async (_what, args, said) => {
    const { code, stdout, stderr } = await mergelaw(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(said)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).not.toContain(SECRET)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('a read never creates a database', async () => {
    await mergelaw(['rows', '--db', `sqlite:${path('never.db')}`, '--all'])
    expect(existsSync(path('never.db'))).toBe(false)
  })

  it.each([
    ['record', '-'],
    ['rows', '--all'],
  ])('%s on a database without the table says to run init', async (verb, argument) => {
    new Database(path('empty.db')).exec('CREATE TABLE IF NOT EXISTS something (a)').close()
    const { code, stderr } = await mergelaw([verb, '--db', `sqlite:${path('empty.db')}`, argument])
    expect(code).toBe(2)
    expect(stderr).toMatch(/has no task_session_subagents yet: run mergelaw init/)
  })

  it('--help and --version are no errors', async () => {
    for (const args of [['--help'], ['--version'], ['help', 'record'], ['record', '--help']]) {
      expect(await mergelaw(args)).toMatchObject({ code: 0, stderr: '' })
    }
  })
})

describe('init', () => {
  it('creates what is missing and nothing twice', async () => {
    const first = await mergelaw(['init', '--db', db, '--json'])
    const tables = ['task_sessions', 'task_session_messages', 'kandev_meta', 'task_session_subagents']
    expect([first.code, JSON.parse(first.stdout)]).toMatchObject([0, { created: tables, existing: [] }])
    const schema = () => new Database(path('there.db')).prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all()
    const before = schema()
    const second = await mergelaw(['init', '--db', db, '--json'])
    expect([second.code, JSON.parse(second.stdout)]).toMatchObject([0, { created: [], existing: tables }])
    expect(schema()).toEqual(before)
  })

  it('host schema: the host’s tables have the columns of the host’s own', () => {
    const columnsOf = (table: string) =>
      new Database(path('there.db')).prepare<[], { name: string }>(`PRAGMA table_info(${table})`).all()
    const names = (table: string): string =>
      columnsOf(table)
        .map(({ name }) => name)
        .join(' ')
    expect(names('task_sessions')).toBe('id task_id')
    expect(names('kandev_meta')).toBe('key value')
    expect(names('task_session_messages')).toBe(
      'id task_session_id task_id turn_id author_type author_id content requests_input type metadata created_at updated_at',
    )
  })

  it('leaves the tables of a host as they are', async () => {
    const host = new Database(path('host.db'))
    host.exec(
      "CREATE TABLE task_sessions (id TEXT PRIMARY KEY, task_id TEXT NOT NULL DEFAULT '', state TEXT); INSERT INTO task_sessions VALUES ('s', 't', 'RUNNING')",
    )
    const { stdout } = await mergelaw(['init', '--db', `sqlite:${path('host.db')}`, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ existing: ['task_sessions'] })
    expect(host.prepare('SELECT * FROM task_sessions').all()).toEqual([{ id: 's', task_id: 't', state: 'RUNNING' }])
  })
})
