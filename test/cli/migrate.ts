/** The commands around an activation, as a user runs them, for one database. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { mergelaw, scratch } from '../support/cli.ts'
import { connectHost, dumpRows, dumpSchema, formerRows, formerTable, HOST_SCHEMA } from '../support/host-database.ts'
import { line } from './samples.ts'

const message = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    id: 'm1',
    task_session_id: 's1',
    task_id: 'k1',
    turn_id: 'u1',
    content: 'x',
    metadata: '{"tool_call_id":"t1","normalized":{"kind":"subagent_task"}}',
    created_at: '2026-08-03 15:32:20.123456+00:00',
    ...fields,
  })

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}.ndjson`, import.meta.url))

export const migrateCommands = (
  name: string,
  newDatabase: () => Promise<{ readonly url: string; readonly drop: () => Promise<void> }>,
): void => {
  const { file } = scratch()
  const isSqlite = name === 'SQLite'
  const withUrl = async (body: (url: string) => Promise<void>): Promise<void> => {
    const { url, drop } = await newDatabase()
    await body(url)
    await drop()
  }
  const sessions = file('sessions.ndjson', '{"id":"s1","task_id":"k1"}\n')

  describe(`commands around an activation on ${name}`, () => {
    it('AC-28a: load-messages does not activate; health says so with exit 3; migrate activates, health then exits 4', async () => {
      await withUrl(async (url) => {
        const messages = file('messages.ndjson', `${message({})}\n`)
        const loaded = await mergelaw(['load-messages', '--db', url, '--sessions', sessions, messages, '--json'])
        expect([loaded.code, JSON.parse(loaded.stdout)]).toEqual([0, { inserted: 1, alreadyPresent: 0, rejected: 0 }])
        const before = await mergelaw(['health', '--db', url, '--json'])
        expect([before.code, JSON.parse(before.stdout)]).toEqual([3, { state: 'not_activated' }])
        const migrated = await mergelaw(['migrate', '--db', url, '--json'])
        expect(migrated).toMatchObject({ code: 0, stderr: '' })
        expect(JSON.parse(migrated.stdout)).toMatchObject({
          steps: [{ step: 'schema', outcome: 'done' }, {}, {}, {}, {}, { outcome: 'done', backfill: { inserted: 1 } }],
        })
        expect((await mergelaw(['health', '--db', url])).code).toBe(4)
        expect((await mergelaw(['migrate', '--db', url])).stdout).toMatch(/backfill +already done/)
        const status = await mergelaw(['status', '--db', url, '--json'])
        expect(JSON.parse(status.stdout)).toMatchObject({ state: 'capture present, execution present', rows: { total: 1 } })
        expect((await mergelaw(['status', '--db', url])).stdout).toContain('backfill 1')
      })
    })

    it('AC-28: a message after activation without its row is a shortfall: exit 1, and the key is named', async () => {
      await withUrl(async (url) => {
        await mergelaw(['init', '--db', url])
        const late = message({ created_at: '2099-01-01T00:00:00Z' })
        await mergelaw(['load-messages', '--db', url, '--sessions', sessions, '-'], { stdin: `${late}\n` })
        const checked = await mergelaw(['health', '--db', url, '--json'])
        expect(checked.code).toBe(1)
        expect(JSON.parse(checked.stdout)).toMatchObject({
          state: 'shortfall',
          missing: 1,
          missingKeys: [{ task_session_id: 's1', tool_call_id: 't1' }],
        })
        expect((await mergelaw(['health', '--db', url])).stdout).toContain('s1 t1')
      })
    })

    it('AC-21 AC-18: the reference history becomes 253 rows; a second migrate changes nothing, byte for byte', async () => {
      await withUrl(async (url) => {
        const loaded = await mergelaw([
          'load-messages',
          '--db',
          url,
          '--sessions',
          example('sessions'),
          example('messages'),
          '--json',
        ])
        expect(JSON.parse(loaded.stdout)).toEqual({ inserted: 653, alreadyPresent: 0, rejected: 0 })
        const first = await mergelaw(['migrate', '--db', url, '--json'])
        expect(JSON.parse(first.stdout)).toMatchObject({
          steps: [{}, {}, {}, {}, {}, { backfill: { scanned: 653, inserted: 253 } }],
        })
        const dumpOf = async (): Promise<readonly unknown[]> => {
          const { host, end } = await connectHost(url)
          const dump = [await dumpRows(host), await dumpSchema(host)]
          await end()
          return dump
        }
        const dump = await dumpOf()
        const second = await mergelaw(['migrate', '--db', url])
        expect([second.code, second.stdout.match(/already done/g)?.length]).toEqual([0, 6])
        expect(await dumpOf()).toEqual(dump)
      })
    }, 60_000)

    // Catches: an init that takes the table of a former build for its own.
    it('AC-33: init on the predecessor’s table upgrades it, and frames can then be recorded', async () => {
      await withUrl(async (url) => {
        const { host, end } = await connectHost(url)
        await host.exec(`${HOST_SCHEMA}${formerTable()}${formerRows(host.dialect)}`)
        await end()
        const upgraded = await mergelaw(['init', '--db', url, '--json'])
        expect([upgraded.code, JSON.parse(upgraded.stdout)]).toMatchObject([
          0,
          { created: [], activation: [{ step: 'schema' }, { step: 'upgrade', outcome: 'done' }, {}, {}, {}, {}] },
        ])
        const recorded = await mergelaw(['record', '--db', url, '-'], { stdin: line() })
        expect([recorded.code, JSON.parse(recorded.stdout)]).toMatchObject([0, { persisted: 1 }])
        expect(JSON.parse((await mergelaw(['rows', '--db', url, '--all', '--json'])).stdout)).toHaveLength(4)
      })
    })

    // Catches: "nothing to do" where an activation did something, or failed.
    it('AC-20: init says what its activation did; where a step failed it says so, exit 1', async () => {
      await withUrl(async (url) => {
        const first = await mergelaw(['init', '--db', url])
        expect(first).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/^created task_sessions, (.*\n)+backfill +done: 0 inserted/),
        })
        expect(await mergelaw(['init', '--db', url])).toMatchObject({
          code: 0,
          stdout: 'nothing to do: all tables are there, and activated\n',
        })
        const { host, end } = await connectHost(url)
        await host.exec('DELETE FROM kandev_meta')
        const again = await mergelaw(['init', '--db', url])
        expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^schema +already done\n(.*\n)+backfill +done/) })
        await host.exec('DELETE FROM kandev_meta; ALTER TABLE task_session_messages RENAME COLUMN metadata TO other')
        const failed = await mergelaw(['init', '--db', url])
        await end()
        expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^backfill +failed: .*metadata/m) })
        expect(failed.stderr).toContain('WARN backfill')
      })
    })

    // Catches: an alarm for rows without a message, which are the normal case of a message that is not written yet.
    it('AC-28b: health with excess alone is healthy, exit 0, and tells the excess', async () => {
      await withUrl(async (url) => {
        await mergelaw(['init', '--db', url])
        await mergelaw(['record', '--db', url, '--sessions', sessions, '-'], {
          stdin: line({ observed_at: '2099-01-01T00:00:00Z' }),
        })
        const checked = await mergelaw(['health', '--db', url, '--json'])
        expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([0, { state: 'healthy', excess: 1 }])
        expect((await mergelaw(['health', '--db', url])).stdout).toMatch(/^excess +1 \(no alarm\)$/m)
      })
    })

    // Catches: the present as the default, by which the same file would load, and a terminal row settle, differently each time.
    it('AC-21: load-messages takes the created_at of a message without updated_at for it', async () => {
      await withUrl(async (url) => {
        await mergelaw(['load-messages', '--db', url, '--sessions', sessions, '-'], { stdin: message({}) })
        const { host, end } = await connectHost(url)
        const loaded = await host.rows(
          `SELECT CASE WHEN created_at = updated_at THEN 'same' END, updated_at FROM task_session_messages`,
        )
        await end()
        expect(loaded).toEqual([['same', expect.stringMatching(/^2026-08-03 15:32:20\.123456/)]])
      })
    })

    it('migrate on a database that is no host names the table that is missing, exit 2', async () => {
      await withUrl(async (url) => {
        if (isSqlite) writeFileSync(url.slice('sqlite:'.length), '') // an empty file is an empty database
        const { code, stderr, stdout } = await mergelaw(['migrate', '--db', url])
        expect([code, stdout]).toEqual([2, ''])
        expect(stderr).toContain('task_sessions')
      })
    })

    it('load-messages rejects by line number what cannot be stored, and stores the rest; a second load changes nothing', async () => {
      await withUrl(async (url) => {
        const lines = [
          message({ id: 'ok' }),
          message({ id: 'no-session', task_session_id: 'gone' }),
          '{"id":',
          message({ id: 'number', content: 5 }),
          message({ id: 'null', turn_id: null }),
          message({ id: 'never', created_at: 'yesterday' }),
          message({ id: 'nul', content: 'a\u0000b' }),
          message({ id: 'offset', created_at: '2026-08-03T17:32:20.1234567+02:00', unknown_field: [1] }),
        ]
        const bad = isSqlite ? [2, 3, 4, 5] : [2, 3, 4, 5, 6, 7]
        const { code, stdout, stderr } = await mergelaw(['load-messages', '--db', url, '--sessions', sessions, '-', '--json'], {
          stdin: lines.join('\n'),
        })
        expect(code).toBe(1)
        expect(JSON.parse(stdout)).toEqual({ inserted: 8 - bad.length, alreadyPresent: 0, rejected: bad.length })
        const said = stderr
          .trim()
          .split('\n')
          .map((line) => Number(/line (\d+)/.exec(line)?.[1]))
        expect(said.sort((a, b) => a - b)).toEqual(bad)
        expect(stderr).toContain('"gone" is not in task_sessions')
        const again = await mergelaw(['load-messages', '--db', url, '-', '--json'], {
          stdin: message({ id: 'ok', content: 'other' }),
        })
        expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { inserted: 0, alreadyPresent: 1, rejected: 0 }])
      })
    })
  })
}
