/** SQLite databases whose text is UTF-16, which a host may have chosen before its first table. */
import { describe, expect, it } from 'vitest'
import { activate, health, listAll } from '../../src/subagents/index.ts'
import { HOST_SCHEMA, type HostDatabase, message, openSqliteMemory } from '../support/host-database.ts'

const withHost = async (encoding: string, body: (host: HostDatabase) => Promise<void>): Promise<void> => {
  const host = await openSqliteMemory()
  try {
    await host.exec(`PRAGMA encoding = '${encoding}'; ${HOST_SCHEMA} INSERT INTO task_sessions (id, task_id) VALUES ('s', 'k')`)
    await body(host)
  } finally {
    await host.close()
  }
}

const start = async (host: HostDatabase): Promise<void> => {
  const report = await activate(host.session, { log: { warn: ({ error }) => expect.unreachable(error) } })
  expect(report.steps.map(({ outcome }) => outcome)).not.toContain('failed')
}

describe.each(['UTF-8', 'UTF-16le', 'UTF-16be'])('a SQLite database in %s', (encoding) => {
  // Catches: a length in bytes, by which no instant is one in UTF-16, so that the whole history is skipped and the keys are written.
  it('AC-21: every spelling of an instant is read, and a text that only begins like one is not', () =>
    withHost(encoding, async (host) => {
      expect(await host.rows('PRAGMA encoding')).toEqual([[encoding]])
      const spellings = ['2026-07-30 05:00:00', '2026-07-30 05:00:00.123456+00:00', '2026-07-30T07:00:00.5+02:00']
      for (const [at, spelling] of spellings.entries()) await host.exec(message(`m${at}`, 's', `t${at}`, spelling))
      await host.exec(message('m8', 's', 't8', '2026-07-30 05:00:00é'))
      await host.exec(message('m9', 's', 't9', '2026-07-30 05:00:00.123456+00:00'))
      await host.exec("UPDATE task_session_messages SET created_at = created_at || CHAR(0) || 'x' WHERE id = 'm9'")
      await start(host)
      const rows = await listAll(host.session)
      expect(rows.map(({ tool_call_id, observed_at }) => [tool_call_id, observed_at])).toEqual([
        ['t0', '2026-07-30T05:00:00.000000Z'],
        ['t1', '2026-07-30T05:00:00.123456Z'],
        ['t2', '2026-07-30T05:00:00.500000Z'],
      ])
    }))

  // Catches: ids compared by the bytes of UTF-16, where U+0101 (01 01) comes before U+00E9 (E9 00), and trailing spaces that are ignored.
  it.each([
    [['é', 'ā'], 'ā'],
    [['～', '😀', 'z'], '😀'],
    [['a', 'a '], 'a '],
    [['a\u0001', 'a '], 'a '],
  ])('AC-21b: of %j at one instant the greatest id by its UTF-8 bytes wins', (ids, winner) =>
    withHost(encoding, async (host) => {
      for (const id of ids)
        await host.exec(
          message(id, 's', 't', '2026-07-30 05:00:00', {
            normalized: { kind: 'subagent_task', subagent_task: { description: `by ${id}.` } },
          }),
        )
      await start(host)
      expect(await host.rows('SELECT description FROM task_session_subagents')).toEqual([[`by ${winner}.`]])
    }),
  )

  it('AC-28: a missed subagent is a shortfall', () =>
    withHost(encoding, async (host) => {
      await start(host)
      await host.exec(message('m', 's', 'missed', '2036-07-30 05:00:00'))
      expect(await health(host.session)).toMatchObject({ state: 'shortfall', missingKeys: [{ tool_call_id: 'missed' }] })
    }))
})
