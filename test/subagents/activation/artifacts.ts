import { describe, expect, it } from 'vitest'
import { type Program, query, type SqlValue, script } from '../../../src/adapters/program.ts'
import { run } from '../../../src/adapters/session.ts'
import { artifactsOf } from '../../../src/sql-render/index.ts'
import { publishedContracts } from '../../../src/subagents/index.ts'
import { NOTHING_TO_DO, start } from '../../support/activate.ts'
import { type HostDatabase, keysOf, message } from '../../support/host-database.ts'
import { executionIds, freshSchema, indexesOf, type Open, oldColumns, schemaOf, withFormer, withHost } from './host.ts'

const artifact = ({ dialect }: HostDatabase, name: string) => {
  const path = `task_session_subagents/${dialect}/${name}.sql`
  const found = artifactsOf(publishedContracts).find((each) => each.path === path)
  if (found === undefined) throw new Error(`no artifact ${path}`)
  return found
}

/** What a person binds who runs the statements by hand. */
const VALUES: Readonly<Record<string, SqlValue>> = {
  tables: '["task_session_subagents"]',
}

export const artifacts = (open: Open): void => {
  describe('artifacts', () => {
    it('AC-33: upgrade.sql, as it stands, brings a predecessor to the end state; the activation finds nothing to upgrade', async () => {
      const fresh = await freshSchema(open)
      await withFormer(open, {}, async (host) => {
        const before = await oldColumns(host)
        await host.exec(artifact(host, 'upgrade').text)
        expect(await oldColumns(host)).toEqual(before)
        expect(await executionIds(host)).toEqual(['unknown', 'unknown', 'unknown'])
        expect(indexesOf(await schemaOf(host))).toEqual(indexesOf(fresh))
        expect((await start(host.session)).outcomes).toEqual({ ...NOTHING_TO_DO, execution_since: 'done', backfill: 'done' })
      })
    })

    it('AC-33: upgrade.sql on a table that has the key already changes no row, and the old key goes whatever its form', async () => {
      await withFormer(open, { oldKey: 'index' }, async (host) => {
        const upgrade = artifact(host, 'upgrade').text
        if (host.dialect === 'postgres')
          await host.exec(`ALTER TABLE task_session_subagents ADD CONSTRAINT odd UNIQUE (tool_call_id, task_session_id)`)
        await host.exec(upgrade)
        await host.exec(`UPDATE task_session_subagents SET agent_execution_id = 'e-real' WHERE id = 'r1'`)
        await expect(host.exec(upgrade)).rejects.toThrow(/agent_execution_id/)
        await host.exec('ROLLBACK')
        expect(await executionIds(host)).toEqual(['e-real', 'unknown', 'unknown'])
        expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'already_done' })
      })
    })

    it('AC-24d AC-33b: activation.sql, statement by statement, leaves the keys and rows that the activation does', async () => {
      await withHost(open, async (host) => {
        await host.exec(`INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1')`)
        await host.exec(message('m1', 's1', 't1', '2026-08-05 01:02:03.000004+00:00'))
        await host.exec(artifact(host, 'schema').text)
        const { text, parameters } = artifact(host, 'activation')
        const statements = text.split(/^-- \d+\. .*\n/m).slice(1)
        expect(statements.length).toBeGreaterThan(12)
        const answers = await run(host.session, byHand(statements, parameters))
        expect(answers.get('through')).toMatch(/^2026-08-05.01:02:03.000004/)
        expect(await keysOf(host)).toEqual({
          subagent_context_backfill_through: '2026-08-05T01:02:03.000004000Z',
          subagent_context_capture_since: '2026-09-01T00:00:00.000002000Z',
          subagent_context_execution_since: '2026-09-01T00:00:00.000001000Z',
        })
        expect((await start(host.session)).outcomes).toEqual(NOTHING_TO_DO)
        expect(await host.rows(`SELECT source FROM task_session_subagents`)).toEqual([['backfill']])
      })
    })
  })
}

/** The three key writes in their order; statement 2 reads a key. */
const WRITES = [
  ['subagent_context_execution_since', '2026-09-01T00:00:00.000001000Z'],
  ['subagent_context_capture_since', '2026-09-01T00:00:00.000002000Z'],
  ['subagent_context_backfill_through', '2026-08-05T01:02:03.000004000Z'],
] as const

function* byHand(statements: readonly string[], parameters: readonly string[]): Program<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  let writes = 0
  for (const [at, sql] of statements.entries()) {
    const wanted = parameters.filter((name) => name.endsWith(`(statement ${at + 1})`)).length
    const bound: readonly SqlValue[] =
      wanted === 2 ? (WRITES[writes++] ?? []) : wanted === 1 ? [at === 0 ? (VALUES['tables'] ?? '') : WRITES[0][0]] : []
    if (bound.length === 0 && !sql.startsWith('SELECT\n')) yield* script(`statement ${at + 1}`, sql)
    else {
      const rows = yield* query(`statement ${at + 1}`, sql.trim().replace(/;$/, ''), bound, (row) => String(row[0]))
      if (sql.includes('"through"')) answers.set('through', rows[0] ?? '')
    }
  }
  return answers
}
