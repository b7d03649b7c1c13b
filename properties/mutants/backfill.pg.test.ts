/** Planted mistakes that only PostgreSQL shows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query, script } from '../../src/adapters/program.ts'
import type { Program } from '../../src/index.ts'
import { DIALECTS, renderBackfill, renderHealth } from '../../src/sql-render/index.ts'
import { subagentContexts, subagentProjection } from '../../src/subagents/index.ts'
import { createLenientHost, insertMessages } from '../oracle/compare-backfill.ts'
import { type LiveDatabase, openPostgres, rolledBack } from '../oracle/databases.ts'

const health = renderHealth(subagentContexts, subagentProjection, 'postgres', {
  compare: ['task_session_id', 'tool_call_id'],
})
const backfill = renderBackfill(subagentContexts, subagentProjection, 'postgres')
const since = DIALECTS.postgres.encodeInstant('2026-08-03T12:00:00.000000Z', 'timestamp')

describe('mutants of backfill and health on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
    for (const { session } of databases) await session.run(createLenientHost(session))
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  function* asked(sql: string): Program<unknown> {
    yield* script('prepare', health.prepare ?? '')
    return yield* query(
      'ask',
      sql,
      health.shortfall.parameters.map(() => since),
      (row) => row,
    )
  }

  it('AC-28, AC-19: an unaliased derived table is refused before PostgreSQL 16', async () => {
    const unaliased = health.shortfall.sql.replace(' AS "shortfall"', '')
    expect(unaliased).not.toBe(health.shortfall.sql)
    const old = databases.find(({ name }) => name === 'postgres 15')
    await expect(old?.session.run(asked(unaliased))).rejects.toThrow(/subquery in FROM must have an alias/)
    for (const { session } of databases) expect(await session.run(asked(health.shortfall.sql))).toEqual([])
  })

  // Catches: each way to read a document that is not total. The control is the reader itself, on the same messages.
  it.each([
    ['a bare cast', 'this is about a subagent_task', (text: string) => `${text}::JSONB #>> '{normalized,kind}'`],
    [
      'a cast after IS JSON (16 and later)',
      `{"subagent_task":${'['.repeat(50_000)}`,
      (text: string) => `CASE WHEN ${text} IS JSON THEN ${text}::JSONB #>> '{a}' END`,
    ],
    ['a cast of U+0000', '{"subagent_task":"\\u0000"}', (text: string) => `${text}::JSONB #>> '{subagent_task}'`],
    [
      'an extraction from JSON with a lone surrogate',
      '{"subagent_task":"\\ud800"}',
      (text: string) => `${text}::JSON ->> 'subagent_task'`,
    ],
  ])('AC-23b: %s aborts the statement, the reader does not', async (_, metadata, extracted) => {
    for (const { session } of databases) {
      const message = {
        id: 'm',
        task_session_id: 's1',
        task_id: 'k',
        turn_id: 'u',
        metadata,
        created_at: '2026-08-03 15:32:20',
        updated_at: null,
      }
      const withMessage = (name: string, body: () => Program<unknown>) =>
        session.run(
          rolledBack(name, function* () {
            yield* insertMessages(session, [message])
            return yield* body()
          }),
        )
      const sql = `SELECT ${extracted('m.metadata')} FROM task_session_messages AS m`
      await expect(withMessage('wrong', () => query('wrong', sql, [], (row) => row))).rejects.toThrow('wrong')
      const staged = await withMessage('right', function* () {
        yield* script('prepare', backfill.prepare ?? '')
        yield* script('stage', backfill.stage.sql)
        return yield* query('reasons', backfill.reasons.sql, [], (row) => row)
      })
      expect(staged).toHaveLength(1)
    }
  })
})
