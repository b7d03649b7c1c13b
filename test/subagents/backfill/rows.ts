import { describe, expect, it } from 'vitest'
import { TERMINAL_TOOL_STATUSES } from '../../../src/subagents/terminal.ts'
import { meta, type Open, without, withStore } from './host.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const rowsOfMessages = (open: Open): void => {
  describe('what a row is made of', () => {
    it('AC-21: turn_id is the message column, tool_status the top-level status, agent_status the payload’s', () =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say({
          turn: 'from the column',
          metadata: meta({ status: 'async_launched', turn_id: 'payload' }, { status: 'failed', turn_id: 'json' }),
        })
        await backfill()
        expect(await rows()).toMatchObject([
          { turn_id: 'from the column', tool_status: 'failed', agent_status: 'async_launched' },
        ])
      }))

    it('AC-21: every column of a full message, microseconds kept, the session’s time zone without effect', () =>
      withStore(open, async ({ say, backfill, rows }) => {
        const payload = {
          ...{
            subagent_type: 'reviewer',
            description: 'look',
            agent_id: 'a1',
            child_session_id: 'c1',
            model: 'claude-opus-5[1m]',
          },
          ...{ status: 'completed', is_async: true, total_tokens: 275_717, tool_use_count: 0, duration_ms: 3_000_000_000 },
        }
        await say({
          metadata: meta(payload, { status: 'completed', parent_tool_call_id: 'p1' }),
          at: '2026-08-03 15:32:20.123456',
          updated: '2026-08-03 15:32:21.000001',
        })
        await backfill()
        const [row] = await rows()
        expect(row?.id).toMatch(UUID_V4)
        expect(row && without(row, 'id')).toEqual({
          ...{
            task_session_id: 's1',
            task_id: 'k1',
            turn_id: 'u1',
            agent_execution_id: 'unknown',
            tool_call_id: 't1',
            parent_tool_call_id: 'p1',
          },
          ...{
            subagent_type: 'reviewer',
            description: 'look',
            agent_id: 'a1',
            child_session_id: 'c1',
            model: 'claude-opus-5[1m]',
          },
          ...{ agent_status: 'completed', tool_status: 'completed', is_async: true, source: 'backfill' },
          ...{ total_tokens: 275_717n, tool_use_count: 0n, duration_ms: 3_000_000_000n },
          ...{
            observed_at: '2026-08-03T15:32:20.123456Z',
            settled_at: '2026-08-03T15:32:21.000001Z',
            updated_at: '2026-08-03T15:32:21.000001Z',
          },
        })
      }))

    it('AC-23: an async_launched message has no usage at all; an empty text is NULL, never empty', () =>
      withStore(open, async ({ host, say, backfill }) => {
        await say({
          turn: '',
          metadata: meta(
            { status: 'async_launched', agent_id: 'a1', model: '', description: '', is_async: true },
            { parent_tool_call_id: '' },
          ),
        })
        await backfill()
        const columns = 'total_tokens, tool_use_count, duration_ms, model, description, parent_tool_call_id, turn_id'
        const isNull = columns.split(', ').map((name) => `CASE WHEN ${name} IS NULL THEN 'null' ELSE 'no' END`)
        expect(await host.rows(`SELECT ${isNull.join(', ')} FROM task_session_subagents`)).toEqual([
          columns.split(', ').map(() => 'null'),
        ])
      }))

    it.each([
      ['1e3', null],
      ['1.5E+1', null],
      ['-0e0', null],
      ['1e999999', null],
      ['12.0', null],
      ['"12"', null],
      ['true', null],
      ['null', null],
      ['-5', null],
      ['9223372036854775808', null],
      ['123456789012345678901234567890', null],
      ['9223372036854775807', 9223372036854775807n],
      ['9007199254740993', 9007199254740993n],
    ] as const)('AC-7, AC-9, AC-23: a metric written %s is %s: nothing fabricated, cut or clamped', (written, value) =>
      withStore(open, async ({ say, backfill, rows }) => {
        const metrics = `"total_tokens":${written},"tool_use_count":${written},"duration_ms":${written}`
        await say({ metadata: meta().replace('"subagent_task":{}', `"subagent_task":{${metrics}}`) })
        await backfill()
        expect(await rows()).toMatchObject([{ total_tokens: value, tool_use_count: value, duration_ms: value }])
      }),
    )

    // Catches: a reader whose numbers are the database's, which holds 131,072 digits and 16,383 behind the point.
    it.each([
      ['140,000 digits', '9'.repeat(140_000)],
      ['20,000 digits behind the point', `0.${'1'.repeat(20_000)}`],
      ['300 digits and an exponent', `${'9'.repeat(300)}e2`],
    ])('AC-23b: a number of %s is no metric, and the message is read', (_, written) =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say({
          metadata: meta({ status: 'completed' }).replace('"subagent_task":{', `"subagent_task":{"total_tokens":${written},`),
        })
        await backfill()
        expect(await rows()).toMatchObject([{ agent_status: 'completed', total_tokens: null }])
      }),
    )

    // Catches: numbers with an exponent changed inside of texts too.
    it('AC-23: a text that looks like numbers stays as it is, whatever numbers stand beside it', () =>
      withStore(open, async ({ say, backfill, rows }) => {
        const description = ': 1e5,[2.5E+3, "x":-3e1} \\" 12.0'
        await say({
          metadata: meta({ description }).replace('"subagent_task":{', '"subagent_task":{"total_tokens":1e3,"duration_ms":12,'),
        })
        await backfill()
        expect(await rows()).toMatchObject([{ description, total_tokens: null, duration_ms: 12n }])
      }))

    it.each(['0', '-0'])('AC-7a, AC-8: %s is a value for tool_use_count alone', (zero) =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say({
          metadata: meta().replace(
            '"subagent_task":{}',
            `"subagent_task":{"total_tokens":${zero},"tool_use_count":${zero},"duration_ms":${zero}}`,
          ),
        })
        await backfill()
        expect(await rows()).toMatchObject([{ total_tokens: null, tool_use_count: 0n, duration_ms: null }])
      }),
    )

    it.each([
      ['true', true],
      ['false', false],
      ['1', false],
      ['"true"', false],
      ['null', false],
    ] as const)('AC-23: is_async written %s is %s', (written, value) =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say({ metadata: meta().replace('"subagent_task":{}', `"subagent_task":{"is_async":${written}}`) })
        await backfill()
        expect(await rows()).toMatchObject([{ is_async: value }])
      }),
    )

    it.each([
      ...TERMINAL_TOOL_STATUSES.map((status) => [status, true] as const),
      ['in_progress', false],
      ['pending', false],
      ['Completed', false],
      ['', false],
    ] as const)('AC-23a: tool_status "%s" settles: %s; agent_status never does', (status, settles) =>
      withStore(open, async ({ say, backfill, rows }) => {
        await say({ metadata: meta({ status: 'completed' }, { status }), updated: '2026-08-04 00:00:00.000001' })
        await backfill()
        expect(await rows()).toMatchObject([
          { settled_at: settles ? '2026-08-04T00:00:00.000001Z' : null, updated_at: '2026-08-04T00:00:00.000001Z' },
        ])
      }),
    )

    it('AC-23a: a terminal message whose updated_at is unreadable settles at created_at, so that no later frame un-settles it', () =>
      withStore(open, async ({ host, say, backfill, rows }) => {
        await say({ metadata: meta({}, { status: 'completed' }), updated: host.dialect === 'sqlite' ? 'yesterday' : 'infinity' })
        await backfill()
        expect(await rows()).toMatchObject([
          { settled_at: '2026-08-03T15:32:20.123456Z', updated_at: '2026-08-03T15:32:20.123456Z' },
        ])
      }))

    it('AC-31: the row carries the sentinel, never NULL and never empty', () =>
      withStore(open, async ({ host, say, backfill }) => {
        await say({ metadata: meta({}, { execution_id: 'e1', agent_execution_id: 'e1' }) })
        await backfill()
        expect(await host.rows('SELECT agent_execution_id, source FROM task_session_subagents')).toEqual([
          ['unknown', 'backfill'],
        ])
      }))
  })
}
