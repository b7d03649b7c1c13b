import { describe, expect, it } from 'vitest'
import { run } from '../../../src/adapters/session.ts'
import { endStateOf, holds, missingIndexesOf, narrowMetricsOf } from '../../../src/subagents/end-state.ts'
import { observe } from '../../../src/subagents/observe.ts'
import { NOTHING_TO_DO, start } from '../../support/activate.ts'
import { dumpRows, dumpSchema, type FormerShape, type HostDatabase, keysOf, message } from '../../support/host-database.ts'
import { executionIds, freshSchema, indexesOf, type Open, oldColumns, schemaOf, withFormer, withHost } from './host.ts'

const TABLE = 'task_session_subagents'

/** AC-33's end state as the catalogue shows it: key-bearing clauses 1 to 3, clause 4, and 64 bits. */
const expectEndState = async (host: HostDatabase): Promise<void> => {
  const observed = await run(host.session, observe(host.dialect, [TABLE]))
  const table = observed.get(TABLE)
  expect(table && endStateOf(table)).toEqual({ executionColumn: true, key: true, noPredecessorKey: true })
  expect(table && holds(endStateOf(table))).toBe(true)
  expect(table && missingIndexesOf(table)).toEqual([])
  expect(table && narrowMetricsOf(table)).toEqual([])
}

/** Every shape that host-schema.md and the issue name, and what stands between them. */
const SHAPES: readonly (readonly [string, FormerShape])[] = [
  ['the two-column predecessor', {}],
  ['the predecessor, an index missing', { without: ['idx_subagents_turn_id'] }],
  ['the two-column key with its columns swapped', { oldKey: 'swapped' }],
  ['the two-column key as a plain unique index', { oldKey: 'index' }],
  ['no key at all', { oldKey: 'gone' }],
  ['the column there but nullable, the old key still there', { column: 'nullable' }],
  ['the column there but nullable, both keys', { column: 'nullable', newKey: 'constraint' }],
  ['the column there but nullable, the new key alone', { column: 'nullable', oldKey: 'gone', newKey: 'constraint' }],
  ['both keys', { column: 'present', newKey: 'constraint' }],
  ['both keys, each a plain unique index', { column: 'present', oldKey: 'index', newKey: 'index' }],
  ['the column there, the three-column key missing', { column: 'present', oldKey: 'gone' }],
]

/**
 * Clause 4: the whole set, compared. A unique index over the key that is there already is the key (clause 2), whatever its name; in
 * SQLite, where the table is made anew, it stands beside the table's own.
 */
const expectedIndexes = (fresh: readonly string[], { dialect }: HostDatabase, { newKey }: FormerShape): readonly string[] => {
  if (newKey !== 'index') return fresh
  const on = `${TABLE} (task_session_id, agent_execution_id, tool_call_id)`
  if (dialect === 'sqlite') return [...fresh, `new_key: CREATE UNIQUE INDEX new_key ON ${on}`].sort()
  const isKey = (line: string): boolean => line.includes('UNIQUE') && line.includes('agent_execution_id')
  return [
    ...fresh.filter((line) => !isKey(line)),
    `new_key: CREATE UNIQUE INDEX new_key ON public.${on.replace(' (', ' USING btree (')}`,
  ].sort()
}

const hasExecution = ({ column = 'missing' }: FormerShape): boolean => column !== 'missing'

export const shapes = (open: Open): void => {
  describe('the table', () => {
    it('AC-17: a database that predates the feature gets table, key and indexes, and its data stays as it was', async () => {
      await withHost(open, async (host) => {
        await host.exec(`INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1')`)
        await host.exec(message('m1', 's1', 't1', '2026-08-03 15:32:20.123456+00:00'))
        const before = (await dumpRows(host)).slice(-2)
        const { outcomes } = await start(host.session)
        expect(outcomes).toMatchObject({ schema: 'done', upgrade: 'already_done', execution_since: 'done', backfill: 'done' })
        expect((await dumpRows(host)).slice(-2)).toEqual(before)
        await expectEndState(host)
      })
    })

    it('AC-18: a second start succeeds, and leaves schema and rows byte for byte as they were', async () => {
      await withHost(open, async (host) => {
        await host.exec(`INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1')`)
        await host.exec(message('m1', 's1', 't1', '2026-08-03 15:32:20.123456+00:00'))
        await start(host.session)
        const [rows, schema] = [await dumpRows(host), await dumpSchema(host)]
        const { outcomes, warnings } = await start(host.session)
        expect([outcomes, warnings]).toEqual([NOTHING_TO_DO, []])
        expect(await dumpRows(host)).toEqual(rows)
        expect(await dumpSchema(host)).toEqual(schema)
      })
    })

    it('AC-16: after an upgrade too, deleting a session deletes its rows, and no others', async () => {
      await withFormer(open, {}, async (host) => {
        await start(host.session)
        await host.exec(
          `${host.dialect === 'sqlite' ? 'PRAGMA foreign_keys = ON;' : ''} DELETE FROM task_sessions WHERE id = 's1'`,
        )
        expect(await host.rows(`SELECT id FROM ${TABLE}`)).toEqual([['r3']])
      })
    })
  })

  describe('AC-33: the upgrade', () => {
    it.each(SHAPES)(
      'AC-33: %s becomes the end state, every row with its values and no execution identity',
      async (_name, shape) => {
        const fresh = await freshSchema(open)
        await withFormer(open, shape, async (host) => {
          if (hasExecution(shape)) await host.exec(`UPDATE ${TABLE} SET agent_execution_id = 'b6f0' WHERE id = 'r1'`)
          const before = await oldColumns(host)
          const { outcomes, warnings } = await start(host.session)
          expect(warnings).toEqual([])
          expect(outcomes).toMatchObject({ schema: 'already_done', upgrade: 'done', execution_since: 'done', backfill: 'done' })
          await expectEndState(host)
          expect(await oldColumns(host)).toEqual(before)
          expect(await executionIds(host)).toEqual([hasExecution(shape) ? 'b6f0' : 'unknown', 'unknown', 'unknown'])
          expect(indexesOf(await schemaOf(host))).toEqual(expectedIndexes(indexesOf(fresh), host, shape))
        })
      },
    )

    it('AC-34: after an upgrade a second and a third start find the end state there and change nothing', async () => {
      await withFormer(open, {}, async (host) => {
        await start(host.session)
        const [rows, schema] = [await dumpRows(host), await dumpSchema(host)]
        for (const again of [1, 2]) {
          const { outcomes } = await start(host.session)
          expect([again, outcomes]).toEqual([again, NOTHING_TO_DO])
          await expectEndState(host)
          expect(await dumpRows(host)).toEqual(rows)
          expect(await dumpSchema(host)).toEqual(schema)
        }
      })
    })

    it("AC-33: NULL and '' in a nullable column become 'unknown', real identities stay", async () => {
      await withFormer(open, { column: 'nullable', oldKey: 'gone' }, async (host) => {
        await host.exec(`UPDATE ${TABLE} SET agent_execution_id = '' WHERE id = 'r2'`)
        await host.exec(`UPDATE ${TABLE} SET agent_execution_id = 'e-real' WHERE id = 'r3'`)
        await start(host.session)
        expect(await executionIds(host)).toEqual(['unknown', 'unknown', 'e-real'])
      })
    })

    it('AC-33 clause 4: a missing index alone is created, and the table is not made anew', async () => {
      await withHost(open, async (host) => {
        await start(host.session)
        const schema = await dumpSchema(host)
        await host.exec('DROP INDEX idx_subagents_observed_at; DROP INDEX idx_subagents_task_id')
        const { outcomes } = await start(host.session)
        expect(outcomes).toEqual({ ...NOTHING_TO_DO, indexes: 'done' })
        expect(await dumpSchema(host)).toEqual(schema)
      })
    })

    it('AC-33 clause 4: an index under one of our names over another column is replaced', async () => {
      await withHost(open, async (host) => {
        await start(host.session)
        const schema = await dumpSchema(host)
        await host.exec(`DROP INDEX idx_subagents_turn_id; CREATE INDEX idx_subagents_turn_id ON ${TABLE} (model)`)
        expect((await start(host.session)).outcomes).toEqual({ ...NOTHING_TO_DO, indexes: 'done' })
        expect(await dumpSchema(host)).toEqual(schema)
      })
    })

    it('AC-33 clause 4: an index name that another table holds is reported, not believed', async () => {
      await withFormer(open, { without: ['idx_subagents_turn_id'] }, async (host) => {
        await host.exec('CREATE INDEX idx_subagents_turn_id ON task_sessions (task_id)')
        const { outcomes, warnings } = await start(host.session)
        expect(outcomes).toMatchObject({ upgrade: 'done', indexes: 'failed', execution_since: 'done', backfill: 'done' })
        expect(warnings).toMatchObject([{ step: 'indexes', code: 'unsupported' }])
      })
    })

    it('AC-33: rows that would share the key are named, and the table stays whole', async () => {
      await withFormer(open, { oldKey: 'gone' }, async (host) => {
        await host.exec(`UPDATE ${TABLE} SET tool_call_id = 't1' WHERE id = 'r1'`)
        const [rows, schema] = [await dumpRows(host), await dumpSchema(host)]
        const { report, outcomes, warnings } = await start(host.session)
        expect(outcomes).toMatchObject({ upgrade: 'failed', execution_since: 'skipped', backfill: 'skipped' })
        expect(warnings).toMatchObject([{ step: 'upgrade', code: 'constraint' }])
        const failed = report.steps.find(({ step }) => step === 'upgrade')
        expect(failed?.outcome === 'failed' && failed.error.message).toContain('("s1", "unknown", "t1") 2 times')
        expect(await dumpRows(host)).toEqual(rows)
        // Metrics and indexes are outside the key's clauses: they are brought up to date whatever the key (AC-33 clause 4).
        expect((await dumpSchema(host)).filter(([kind]) => kind === 'constraint' || kind === 'table')).toEqual(
          schema.filter(([kind]) => kind === 'constraint' || kind === 'table'),
        )
      })
    })

    it('AC-33: what is no table of ours is left alone with a reason', async () => {
      await withHost(open, async (host) => {
        await host.exec(`CREATE TABLE ${TABLE} (id TEXT PRIMARY KEY, task_session_id TEXT, tool_call_id TEXT)`)
        const before = await dumpSchema(host)
        const { warnings } = await start(host.session)
        expect(warnings[0]).toMatchObject({
          step: 'upgrade',
          code: 'unsupported',
          error: expect.stringContaining('no column task_id'),
        })
        expect(await dumpSchema(host)).toEqual(before)
        expect(await keysOf(host)).toEqual({})
      })
    })
  })
}
