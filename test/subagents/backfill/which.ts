import { describe, expect, it } from 'vitest'
import { transaction } from '../../../src/adapters/program.ts'
import { run } from '../../../src/adapters/session.ts'
import { backfillSteps } from '../../../src/subagents/backfill.ts'
import { dumpRows } from '../../support/host-database.ts'
import { watching } from '../../support/stepping.ts'
import { meta, type Open, type Said, withStore } from './host.ts'

const call = (tool_call_id: unknown, payload = {}): string => meta(payload, { tool_call_id })
const deep = (depth: number): string => meta({ nested: 'HERE' }).replace('"HERE"', `${'['.repeat(depth)}${']'.repeat(depth)}`)

export const whichMessages = (open: Open): void => {
  describe('which messages yield a row', () => {
    it.each<readonly [string, Said]>([
      ['no task_id', { task: '' }],
      ['a NULL task_id', { task: null }],
      ['no task_session_id', { session: '' }],
      ['no tool_call_id', { metadata: call('') }],
      ['a tool_call_id that is no text', { metadata: call(12) }],
      ['no tool_call_id at all', { metadata: call(undefined) }],
    ])('AC-21a: a message with %s is skipped, does not fail the statement, and is not in MAX', (_, lacking) =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say(
          { metadata: call('good'), at: '2026-08-03 15:32:20.000001' },
          { metadata: call('other'), at: '2026-08-09 00:00:00', ...lacking },
        )
        const report = await backfill()
        expect(await rows()).toMatchObject([{ tool_call_id: 'good' }])
        expect(report).toMatchObject({
          candidates: 2,
          qualifying: 1,
          skipped: { 'no-identity': 1 },
          through: '2026-08-03T15:32:20.000001000Z',
        })
      }),
    )

    it('AC-21b: of two messages about one subagent the newer supplies the row, and only one row there is', () =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say(
          { id: 'z', metadata: call('t1', { model: 'older' }), at: '2026-08-03 15:32:20.123456' },
          { id: 'a', metadata: call('t1', { model: 'newer' }), at: '2026-08-03 15:32:20.123457' },
        )
        expect(await backfill()).toMatchObject({ qualifying: 2, inserted: 1, skipped: { superseded: 1 } })
        expect(await rows()).toMatchObject([{ model: 'newer', observed_at: '2026-08-03T15:32:20.123457Z' }])
      }))

    it('AC-21b: of two at one instant the greatest id by its bytes wins, not by UTF-16 nor by language', () =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say(...['b', 'Z', '\uFF5E', '😀', 'é'].map((id) => ({ id, metadata: call('t1', { model: id }) })))
        await backfill()
        expect(await rows()).toMatchObject([{ model: '😀' }])
      }))

    it('AC-22: a row that is there stays as it is, and a replay changes nothing, byte for byte', () =>
      withStore(open, async ({ host, say, backfill }) => {
        await say({ metadata: call('t1', { model: 'first' }) }, { metadata: call('t2') })
        expect(await backfill()).toMatchObject({ inserted: 2, alreadyPresent: 0 })
        await say({ metadata: call('t1', { model: 'second' }), at: '2026-09-01 00:00:00' })
        const before = await dumpRows(host)
        expect(await backfill()).toMatchObject({ inserted: 0, alreadyPresent: 2 })
        expect(await dumpRows(host)).toEqual(before)
      }))

    it('AC-22: a subagent captured live with a real execution gets a row of its own beside it', () =>
      withStore(open, async ({ host, say, backfill, rows }) => {
        await say({ metadata: call('t1') })
        await backfill()
        await host.exec("UPDATE task_session_subagents SET agent_execution_id = 'real', source = 'live'")
        expect(await backfill()).toMatchObject({ inserted: 1, alreadyPresent: 0 })
        expect((await rows()).map(({ agent_execution_id, source }) => `${agent_execution_id} ${source}`).sort()).toEqual([
          'real live',
          'unknown backfill',
        ])
      }))

    it('AC-21: a message whose session is gone is skipped and counted, and does not enter MAX', () =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say({ metadata: call('here') }, { session: 'gone', metadata: call('orphan'), at: '2026-09-01 00:00:00' })
        expect(await backfill()).toMatchObject({
          qualifying: 1,
          skipped: { orphan: 1 },
          through: '2026-08-03T15:32:20.123456000Z',
        })
        expect(await rows()).toMatchObject([{ tool_call_id: 'here' }])
      }))

    it('AC-21: a message whose instant is none is skipped and counted, never the end of the backfill', () =>
      withStore(open, async ({ host, say, backfill, rows }) => {
        await say(
          { metadata: call('here') },
          { metadata: call('when'), at: host.dialect === 'sqlite' ? '2026-02-30 00:00:00' : 'infinity' },
        )
        expect(await backfill()).toMatchObject({
          qualifying: 1,
          skipped: { 'no-instant': 1 },
          through: '2026-08-03T15:32:20.123456000Z',
        })
        expect(await rows()).toHaveLength(1)
      }))

    it.each<readonly [string, string | null]>([
      ['NULL', null],
      ['empty', ''],
      ['null', 'null'],
      ['no JSON', 'subagent_task, honestly'],
      ['cut short', meta().slice(0, -1)],
      ['a list', '["subagent_task"]'],
      ['a text', '"subagent_task"'],
      ['a number', '12'],
      ['JSON5', "{tool_call_id:'x',normalized:{kind:'subagent_task'}}"],
      ['nested 100,000 deep', deep(100_000)],
      ['normalized as a list', '{"tool_call_id":"x","normalized":["subagent_task"]}'],
      ['kind as a number', '{"tool_call_id":"x","normalized":{"kind":7,"x":"subagent_task"}}'],
    ])('AC-23b: metadata that is %s yields no row and leaves the others alone', (_, metadata) =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say({ metadata: call('good') }, { metadata, at: '2026-09-01 00:00:00' })
        expect(await backfill()).toMatchObject({
          scanned: 2,
          qualifying: 1,
          inserted: 1,
          through: '2026-08-03T15:32:20.123456000Z',
        })
        expect(await rows()).toMatchObject([{ tool_call_id: 'good' }])
      }),
    )

    it('AC-23b: U+0000 and lone surrogates become U+FFFD, pairs and escaped backslashes stay, and no message is lost', () =>
      withStore(open, async ({ say, backfill, rows }) => {
        const escaped = String.raw`{"model":"a\u0000b","description":"\ud83d x \ude00 \uD83D\uDE00 \\ud83d \\u0000","prompt":"\u0000"}`
        await say({ metadata: meta().replace('"subagent_task":{}', `"subagent_task":${escaped}`) })
        await backfill()
        expect(await rows()).toMatchObject([{ model: 'a\uFFFDb', description: '\uFFFD x \uFFFD 😀 \\ud83d \\u0000' }])
      }))

    it('AC-21: a kind and names that are spelled with escapes are found', () =>
      withStore(open, async ({ say, backfill }) => {
        const metadata = String.raw`{"\u0074ool_call_id":"t1","normalized":{"k\u0069nd":"\u0073ubagent\u005ftask"}}`
        await say({ metadata })
        expect(await backfill()).toMatchObject({ candidates: 1, inserted: 1 })
      }))

    it('AC-21: of a name that stands twice the last counts, on every level', () =>
      withStore(open, async ({ say, backfill, rows }) => {
        const first = '"tool_call_id":"first","normalized":{"kind":"other"}'
        const last =
          '"normalized":{"kind":"x","kind":"subagent_task","subagent_task":{"model":"x"},"subagent_task":{"model":"first","mode\\u006c":"last"}}'
        await say({ metadata: `{${first},"tool_call_id":"last",${last}}` })
        await backfill()
        expect(await rows()).toMatchObject([{ tool_call_id: 'last', model: 'last' }])
      }))

    it('AC-24f: where nothing qualifies, the high-water mark is the empty text', () =>
      withStore(open, async ({ say, backfill }) => {
        expect(await backfill()).toMatchObject({ scanned: 0, candidates: 0, inserted: 0, through: '' })
        await say({ metadata: '{}' }, { session: 'gone' })
        expect(await backfill()).toMatchObject({ scanned: 2, candidates: 1, qualifying: 0, through: '' })
      }))

    it('AC-24: on a retry the high-water mark comes from the predicate, not from what was inserted', () =>
      withStore(open, async ({ say, backfill }) => {
        await say({ metadata: call('t1') })
        const { through } = await backfill()
        expect(await backfill()).toMatchObject({ inserted: 0, through })
        expect(through).toBe('2026-08-03T15:32:20.123456000Z')
      }))

    it('AC-24d: MAX is taken before the insert, over candidates that were staged once', () =>
      withStore(open, async ({ host, say }) => {
        await say({})
        const names: string[] = []
        const texts: string[] = []
        const session = watching(host.session, (step) => {
          names.push(step.name)
          if ('sql' in step) texts.push(step.sql)
        })
        await run(session, transaction('outer', backfillSteps(host.dialect)))
        const [staged, newest, inserted] = ['stage', 'newest', 'insert'].map((name) =>
          names.findIndex((step) => step.startsWith(`backfill: ${name}`)),
        )
        expect([staged, newest, inserted]).toEqual([staged, newest, inserted].toSorted((a = 0, b = 0) => a - b))
        // The source's documents are read by one statement, and by no other.
        expect(texts.filter((sql) => sql.includes('"task_session_messages"') && sql.includes('"metadata"'))).toHaveLength(1)
        // AC-23a: one insert, unbounded.
        expect(texts.filter((sql) => /INSERT INTO "task_session_subagents"/.test(sql) && !/LIMIT/.test(sql))).toHaveLength(1)
      }))
  })
}
