import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { query, script } from '../../src/adapters/program.ts'
import { run } from '../../src/adapters/session.ts'
import { MergelawError } from '../../src/errors/index.ts'
import { failing, NOTHING_TO_DO, start } from '../support/activate.ts'
import {
  dumpRows,
  dumpSchema,
  formerRows,
  formerTable,
  HOST_SCHEMA,
  type HostDatabase,
  message,
  openSqliteFile,
} from '../support/host-database.ts'
import { answering, watching } from '../support/stepping.ts'
import { oldColumns, withFormer, withHost } from './activation/host.ts'

const TABLE = 'task_session_subagents'
const foreignKeys = async ({ session }: HostDatabase): Promise<unknown> =>
  (
    await run(
      session,
      query('read', 'PRAGMA foreign_keys', [], ([on]) => on),
    )
  )[0]

/** The predecessor's CREATE TABLE with something in it that a host may have added. */
const withPart = async (change: (sql: string) => string, body: (host: HostDatabase) => Promise<void>): Promise<void> => {
  await withHost(openSqliteFile, async (host) => {
    await host.exec(change(formerTable()))
    await body(host)
  })
}

describe('AC-33: the upgrade on SQLite', () => {
  it('AC-33: a table that refers to ours keeps its rows, although DROP TABLE would cascade; foreign keys are on again', async () => {
    await withFormer(openSqliteFile, {}, async (host) => {
      await host.exec(`CREATE TABLE notes (id TEXT, subagent TEXT REFERENCES ${TABLE}(id) ON DELETE CASCADE);
        CREATE TABLE marks (subagent TEXT REFERENCES ${TABLE} ON DELETE SET NULL);
        INSERT INTO notes VALUES ('n1', 'r1'), ('n2', 'r2'); INSERT INTO marks VALUES ('r3');`)
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done' })
      expect(await host.rows('SELECT * FROM notes ORDER BY id')).toEqual([
        ['n1', 'r1'],
        ['n2', 'r2'],
      ])
      expect(await host.rows('SELECT * FROM marks')).toEqual([['r3']])
      expect(await foreignKeys(host)).toBe(1n)
      expect(await host.rows('PRAGMA foreign_key_check')).toEqual([])
      await run(host.session, script('delete', `DELETE FROM ${TABLE} WHERE id = 'r1'`))
      expect(await host.rows('SELECT id FROM notes')).toEqual([['n2']])
    })
  })

  it('AC-33a: when the upgrade fails beside such a table, foreign keys are on again too', async () => {
    await withFormer(openSqliteFile, {}, async (host) => {
      await host.exec(
        `CREATE TABLE notes (id TEXT, subagent TEXT REFERENCES ${TABLE}(id) ON DELETE CASCADE); INSERT INTO notes VALUES ('n1', 'r1');`,
      )
      const { outcomes } = await start(failing(host.session, ({ name }) => name === 'drop the stage'))
      expect(outcomes).toMatchObject({ upgrade: 'failed' })
      expect(await foreignKeys(host)).toBe(1n)
      expect(await host.rows('SELECT * FROM notes')).toEqual([['n1', 'r1']])
    })
  })

  it('AC-33: a column, an index, a trigger and a view of the host survive, and no trigger fires', async () => {
    const more = `model TEXT, "cost cents" INTEGER NOT NULL DEFAULT (1 + 2), note VARCHAR(10) DEFAULT 'x''y'`
    await withPart(
      (sql) => sql.replace('model TEXT', more),
      async (host) => {
        await host.exec(`${formerRows('sqlite')}
        UPDATE ${TABLE} SET "cost cents" = 9 WHERE id = 'r1';
        CREATE INDEX host_model ON ${TABLE} (model) WHERE model IS NOT NULL;
        CREATE TABLE fired (what TEXT);
        CREATE TRIGGER host_insert AFTER INSERT ON ${TABLE} BEGIN INSERT INTO fired VALUES (new.id); END;
        CREATE TRIGGER host_delete BEFORE DELETE ON ${TABLE} BEGIN INSERT INTO fired VALUES (old.id); END;
        CREATE VIEW host_view AS SELECT id, note FROM ${TABLE};`)
        const before = await host.rows(`SELECT id, "cost cents", note FROM ${TABLE} ORDER BY rowid`)
        const parts = await host.rows(`SELECT type, name, sql FROM sqlite_master WHERE name LIKE 'host%' ORDER BY name`)
        expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done' })
        expect(await host.rows(`SELECT id, "cost cents", note FROM ${TABLE} ORDER BY rowid`)).toEqual(before)
        expect(await host.rows(`SELECT type, name, sql FROM sqlite_master WHERE name LIKE 'host%' ORDER BY name`)).toEqual(parts)
        expect(await host.rows('SELECT * FROM fired')).toEqual([])
        await host.exec(`INSERT INTO ${TABLE} (id, task_session_id, task_id, agent_execution_id, tool_call_id, observed_at, updated_at)
        VALUES ('r9', 's1', 'k', 'e', 't9', '2026', '2026')`)
        expect(
          await host.rows(`SELECT "cost cents", note FROM host_view JOIN ${TABLE} USING (id, note) WHERE id = 'r9'`),
        ).toEqual([['3', "x'y"]])
        expect(await host.rows('SELECT * FROM fired')).toEqual([['r9']])
      },
    )
  })

  it('AC-33 clause 5: values of any storage class stay what they are', async () => {
    await withFormer(openSqliteFile, {}, async (host) => {
      await host.exec(`UPDATE ${TABLE} SET total_tokens = 'abc', tool_use_count = 1.5, duration_ms = 9223372036854775807 WHERE id = 'r1';
        UPDATE ${TABLE} SET model = x'00ff', description = 'a' || char(0) || 'b', settled_at = 1754235140 WHERE id = 'r2';
        UPDATE ${TABLE} SET observed_at = '2026-08-03T15:32:20.123456789Z', updated_at = 'never' WHERE id = 'r3'`)
      const before = await oldColumns(host)
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done' })
      expect(await oldColumns(host)).toEqual(before)
    })
  })

  it('AC-33 clause 5: a row whose session is gone, written with foreign keys off, survives', async () => {
    await withFormer(openSqliteFile, {}, async (host) => {
      await host.exec(`PRAGMA foreign_keys = OFF; DELETE FROM task_sessions WHERE id = 's2'`)
      const before = await oldColumns(host)
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done', execution_since: 'done' })
      expect(await oldColumns(host)).toEqual(before)
    })
  })

  it("AC-33: tables named as our stage, left over or of the host, are in nobody's way", async () => {
    await withFormer(openSqliteFile, {}, async (host) => {
      await host.exec(`CREATE TABLE mergelaw_upgrade (x TEXT); INSERT INTO mergelaw_upgrade VALUES ('mine')`)
      await run(host.session, script('leave a stage', 'CREATE TEMP TABLE mergelaw_upgrade (y TEXT)'))
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done' })
      expect(await host.rows('SELECT * FROM mergelaw_upgrade')).toEqual([['mine']])
      expect(
        await run(
          host.session,
          query('temp', 'SELECT name FROM sqlite_temp_master', [], ([name]) => name),
        ),
      ).toEqual([])
    })
  })

  it.each([
    ['CHECK', (sql: string) => sql.replace('total_tokens INTEGER', 'total_tokens INTEGER CHECK (total_tokens > 0)')],
    ['COLLATE', (sql: string) => sql.replace('model TEXT', 'model TEXT COLLATE NOCASE')],
    ['WITHOUT', (sql: string) => sql.replace(/\n\);/, '\n) WITHOUT ROWID;')],
    ['column total is generated', (sql: string) => sql.replace('model TEXT', 'model TEXT, total INTEGER AS (total_tokens * 2)')],
    ['UNIQUE (agent_id)', (sql: string) => sql.replace('agent_id TEXT', 'agent_id TEXT UNIQUE')],
    ['primary key is ()', (sql: string) => sql.replace('id TEXT PRIMARY KEY', 'id TEXT')],
    [
      'foreign key of (turn_id)',
      (sql: string) => sql.replace('turn_id TEXT', 'turn_id TEXT REFERENCES task_session_messages(id)'),
    ],
    ['temporary trigger', (sql: string) => sql],
    [
      'refers to its (tool_call_id, task_session_id)',
      (sql: string) =>
        `${sql}; CREATE TABLE c (a TEXT, b TEXT, FOREIGN KEY (a, b) REFERENCES ${TABLE}(tool_call_id, task_session_id))`,
    ],
  ])('AC-33: a table with a part that would be lost (%s) is refused by name, and stays whole', async (part, change) => {
    await withPart(change, async (host) => {
      if (part === 'temporary trigger') {
        await run(host.session, script('temp', `CREATE TEMP TRIGGER mine AFTER INSERT ON ${TABLE} BEGIN SELECT 1; END`))
      }
      const schema = (await dumpSchema(host)).filter(([type]) => type === 'table')
      const { warnings, outcomes } = await start(host.session)
      expect(outcomes).toMatchObject({ upgrade: 'failed', execution_since: 'skipped', backfill: 'skipped' })
      expect(warnings[0]).toMatchObject({ step: 'upgrade', code: 'unsupported', error: expect.stringContaining(part) })
      expect((await dumpSchema(host)).filter(([type]) => type === 'table')).toEqual(schema)
    })
  })

  it('AC-33: such a word in a comment, a text or a quoted name is no such part', async () => {
    const change = (sql: string): string =>
      sql.replace('model TEXT', `model TEXT DEFAULT 'CHECK it''s', -- COLLATE, WITHOUT\n "strict" TEXT /* GENERATED */`)
    await withPart(change, async (host) => {
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done' })
    })
  })

  it('AC-33: an id that is NULL, which only SQLite allows, fails clearly and leaves the table whole', async () => {
    await withFormer(openSqliteFile, {}, async (host) => {
      await host.exec(`UPDATE ${TABLE} SET id = NULL WHERE id = 'r1'`)
      const before = await dumpRows(host)
      expect((await start(host.session)).warnings[0]).toMatchObject({ step: 'upgrade', code: 'constraint' })
      expect(await dumpRows(host)).toEqual(before)
    })
  })

  it('AC-18: where everything is done no write lock is taken: another process may hold it', async () => {
    await withFormer(openSqliteFile, {}, async (host) => {
      await host.exec(message('m1', 's1', 't9', '2026-08-05 01:02:03+00:00'))
      await start(host.session)
      await host.exec('BEGIN IMMEDIATE')
      expect((await start(host.session)).outcomes).toEqual(NOTHING_TO_DO)
      await host.exec('ROLLBACK')
    })
  })

  // Catches: a rebuild that commits without comparing what it copied.
  it('AC-33a: rows that the copy would lose end the upgrade, and the table stays whole', async () => {
    await withFormer(openSqliteFile, {}, async (host) => {
      const before = await dumpRows(host)
      const meddled = answering(host.session, function* (step) {
        if (step.name === 'compare the rows') {
          yield { kind: 'script', name: 'meddle', sql: `UPDATE ${TABLE} SET model = 'other' WHERE id = 'r1'` }
        }
        return yield step
      })
      const { outcomes, warnings } = await start(meddled)
      expect(outcomes).toMatchObject({ upgrade: 'failed', execution_since: 'skipped' })
      expect(warnings[0]).toMatchObject({ code: 'unsupported', error: expect.stringContaining('1 rows would not keep') })
      expect(await dumpRows(host)).toEqual(before)
    })
  })

  // Catches: a statement that had no effect, as inside a transaction, taken for one that had.
  it.each([1, 2])('AC-33a: foreign keys are read back: where turning them on had no effect %i times', async (times) => {
    await withFormer(openSqliteFile, {}, async (host) => {
      let ignored = 0
      const deaf = answering(host.session, function* (step) {
        if (step.name !== 'turn foreign keys on' || ignored === times) return yield step
        ignored++
        return { rows: [], changes: 0 }
      })
      const { report } = await start(deaf)
      const once = { upgrade: { step: 'upgrade', outcome: 'done' }, next: {}, keys: 1n }
      const twice = {
        upgrade: { outcome: 'failed', error: { code: 'connection' } },
        next: { why: 'the connection could not be used any more' },
        keys: 0n,
      }
      const found = { upgrade: report.steps[1], next: report.steps[2], keys: await foreignKeys(host) }
      expect(found).toMatchObject(times === 1 ? once : twice)
    })
  })

  // Catches: one try only, and a budget of every step's own: each try blocks the process for the whole busy_timeout.
  it.each([
    [5, 'done', 'done'],
    [6, 'failed', 'skipped'],
  ])(
    'AC-18: another process may hold the lock through %i tries of the whole activation: upgrade %s',
    async (held, upgrade, last) => {
      await withFormer(openSqliteFile, {}, async (host) => {
        let begun = 0
        const busy = watching(host.session, ({ kind, name }) => {
          if (kind === 'begin' && ++begun <= held) throw new MergelawError('busy', `Planted: "${name}" is locked.`)
        })
        await host.exec('DROP INDEX IF EXISTS idx_subagents_turn_id')
        const { outcomes, report } = await start(busy)
        expect(outcomes).toMatchObject({ upgrade, execution_since: last, backfill: last })
        expect(outcomes.indexes).toBe(upgrade === 'done' ? 'already_done' : 'skipped')
        const heldBack = { heldBackBy: 'upgrade', why: expect.stringContaining('used up every try') as string }
        expect(report.steps[3]).toMatchObject(upgrade === 'done' ? {} : heldBack)
        expect(upgrade === 'done' || begun === 6).toBe(true)
        expect((await start(host.session)).report.steps.every(({ outcome }) => /done/.test(outcome))).toBe(true)
      })
    },
  )

  it("AC-20: inside a transaction of the host every step that has something to do fails, and the transaction is the host's", async () => {
    const db = new Database(':memory:')
    const session = sqliteSession(db)
    db.exec(`${HOST_SCHEMA} ${formerTable()} ${formerRows('sqlite')} BEGIN; DELETE FROM task_sessions WHERE id = 's2'`)
    const { outcomes, warnings } = await start(session)
    expect(outcomes).toMatchObject({ upgrade: 'failed', indexes: 'failed', execution_since: 'skipped' })
    expect(warnings[0]).toMatchObject({ code: 'usage' })
    expect([db.inTransaction, db.pragma('foreign_keys', { simple: true })]).toEqual([true, 1])
    db.exec('COMMIT')
    expect(db.prepare(`SELECT id FROM ${TABLE} ORDER BY id`).pluck().all()).toEqual(['r1', 'r2'])
    expect((await start(session)).outcomes).toMatchObject({ upgrade: 'done', backfill: 'done' })
    db.close()
  })
})
