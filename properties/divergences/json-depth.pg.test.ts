/**
 * Divergence json-depth: how deep a JSON document may nest.
 *
 * Cause: SQLite reads 1,000 levels, a constant of its build; PostgreSQL as many as its stack holds (max_stack_depth), some thousands.
 * The pure function follows SQLite. In between PostgreSQL yields a row and SQLite counts the message as unreadable. No writer of
 * messages nests so deep, and neither database fails. https://sqlite.org/limits.html
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backfillSteps, type Message, projectMessage } from '../../src/subagents/index.ts'
import { createLenientHost, insertMessages } from '../oracle/compare-backfill.ts'
import { type LiveDatabase, openPostgres, openSqlite, rolledBack } from '../oracle/databases.ts'

/** Levels in all: the document, `normalized`, `subagent_task`, and lists. */
const nested = (depth: number): Message => ({
  ...{ id: 'm', task_session_id: 's1', task_id: 'k', turn_id: 'u', created_at: '2026-08-03 15:32:20', updated_at: null },
  metadata: `{"tool_call_id":"t","normalized":{"kind":"subagent_task","subagent_task":{"deep":${'['.repeat(depth - 3)}${']'.repeat(depth - 3)}}}}`,
})

describe('divergence json-depth', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = [openSqlite(), ...(await openPostgres())]
    for (const { session } of databases) await session.run(createLenientHost(session))
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  const rowsAt = async ({ session }: LiveDatabase, depth: number): Promise<number> => {
    const { inserted, candidates } = await session.run(
      rolledBack('backfill', function* () {
        yield* insertMessages(session, [nested(depth)])
        return yield* backfillSteps(session.dialect)()
      }),
    )
    expect(candidates).toBe(1)
    return inserted
  }
  const pureAt = (depth: number): string => projectMessage(nested(depth))._tag

  it('AC-23b: control: 1,000 levels are read by all', async () => {
    expect(pureAt(1_000)).toBe('Right')
    for (const database of databases) expect(await rowsAt(database, 1_000), database.name).toBe(1)
  })

  it('AC-23b: 1,001 levels are read by PostgreSQL alone', async () => {
    expect(pureAt(1_001)).toBe('Left')
    for (const database of databases)
      expect(await rowsAt(database, 1_001), database.name).toBe(database.session.dialect === 'sqlite' ? 0 : 1)
  })

  it('AC-23b: control: 100,000 levels are read by none, and abort none', async () => {
    expect(pureAt(100_000)).toBe('Left')
    for (const database of databases) expect(await rowsAt(database, 100_000), database.name).toBe(0)
  })
})
