import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { pgSession } from '../../src/adapters/pg.ts'
import { NOTHING_TO_DO, start } from '../support/activate.ts'
import {
  dumpRows,
  dumpSchema,
  formerRows,
  formerTable,
  HOST_SCHEMA,
  message,
  postgresDatabases,
} from '../support/host-database.ts'
import { postgresUrls } from '../support/postgres.ts'
import { executionIds, oldColumns, withFormer, withHost } from './activation/host.ts'

const TABLE = 'task_session_subagents'

describe.each(postgresUrls())('AC-33: the upgrade on PostgreSQL $version', ({ version }) => {
  const { open, drop } = postgresDatabases(version)
  afterAll(drop)

  it('AC-33: int4 metrics become BIGINT whatever the key, and nothing else is touched', async () => {
    await withFormer(open, { column: 'present', oldKey: 'gone', newKey: 'constraint' }, async (host) => {
      const before = await oldColumns(host)
      expect((await start(host.session)).outcomes).toMatchObject({
        upgrade: 'already_done',
        metrics: 'done',
        execution_since: 'done',
      })
      expect(await oldColumns(host)).toEqual(before)
      await host.exec(
        `UPDATE ${TABLE} SET total_tokens = 9223372036854775807, tool_use_count = 3000000000, duration_ms = 3000000000`,
      )
    })
  })

  // Catches: a backfill that one large count fails at every start, while a view keeps the metrics narrow; an error that names no view.
  it('AC-33: a view over a metric keeps PostgreSQL from widening it: it is named, and the backfill waits', async () => {
    await withFormer(open, {}, async (host) => {
      const metadata = '{"tool_call_id":"t9","normalized":{"kind":"subagent_task","subagent_task":{"total_tokens":3000000000}}}'
      await host.exec(`CREATE VIEW host_view AS SELECT id, total_tokens FROM ${TABLE};
        INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id, content, metadata, created_at)
        VALUES ('m9', 's1', 'k1', 'tx', '', '${metadata}', '2026-08-05 01:02:03')`)
      const { outcomes, warnings, report } = await start(host.session)
      expect(outcomes).toMatchObject({ upgrade: 'done', metrics: 'failed', indexes: 'done', execution_since: 'done' })
      expect(report.steps.at(-1)).toMatchObject({ step: 'backfill', outcome: 'skipped', heldBackBy: 'metrics' })
      expect(warnings).toMatchObject([
        { step: 'metrics', code: 'unsupported', error: expect.stringMatching(/view host_view depends.*Drop that view/) },
      ])
      await host.exec('DROP VIEW host_view')
      expect((await start(host.session)).outcomes).toEqual({ ...NOTHING_TO_DO, metrics: 'done', backfill: 'done' })
      expect(await host.rows(`SELECT total_tokens FROM ${TABLE} WHERE tool_call_id = 't9'`)).toEqual([['3000000000']])
    })
  })

  it('AC-17 AC-20: a kandev_meta without the right to read it costs only the steps that need keys', async () => {
    await withHost(open, async (host) => {
      await host.exec(`DROP ROLE IF EXISTS no_keys_${version}; CREATE ROLE no_keys_${version};
        GRANT ALL ON SCHEMA public TO no_keys_${version}; GRANT ALL ON ALL TABLES IN SCHEMA public TO no_keys_${version};
        REVOKE ALL ON kandev_meta FROM no_keys_${version}`)
      const pool = new pg.Pool({ connectionString: host.url, options: `-c role=no_keys_${version}` })
      try {
        const { outcomes, warnings } = await start(pgSession(pool))
        expect(outcomes).toEqual({ ...NOTHING_TO_DO, schema: 'done', execution_since: 'failed', backfill: 'failed' })
        const denied = expect.stringContaining('permission denied for table kandev_meta')
        expect(warnings).toMatchObject([
          { step: 'execution_since', error: denied },
          { step: 'backfill', error: denied },
        ])
      } finally {
        await pool.end()
        await host.exec(`DROP OWNED BY no_keys_${version} CASCADE; DROP ROLE no_keys_${version}`)
      }
    })
  })

  it('AC-33 clause 5: filling the column fires no trigger of the host, and each trigger is as enabled as before', async () => {
    await withFormer(open, { column: 'nullable' }, async (host) => {
      await host.exec(`CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at = '2099-01-01'; RETURN NEW; END $$;
        CREATE TRIGGER "Touch me" BEFORE UPDATE ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION touch();
        CREATE TRIGGER touch_always BEFORE UPDATE ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION touch();
        CREATE TRIGGER touch_replica BEFORE UPDATE ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION touch();
        CREATE TRIGGER touch_never BEFORE UPDATE ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION touch();
        ALTER TABLE ${TABLE} ENABLE ALWAYS TRIGGER touch_always, ENABLE REPLICA TRIGGER touch_replica, DISABLE TRIGGER touch_never`)
      const modes = `SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`
      const [before, enabled] = [await oldColumns(host), await host.rows(modes)]
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done' })
      expect(await oldColumns(host)).toEqual(before)
      expect(await executionIds(host)).toEqual(['unknown', 'unknown', 'unknown'])
      expect(await host.rows(modes)).toEqual(enabled)
    })
  })

  it('AC-33: a deferrable key cannot be the target of an upsert, and makes way for one that can', async () => {
    await withFormer(open, { column: 'present', oldKey: 'gone' }, async (host) => {
      await host.exec(
        `ALTER TABLE ${TABLE} ADD CONSTRAINT late UNIQUE (task_session_id, agent_execution_id, tool_call_id) DEFERRABLE`,
      )
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done' })
      await host.exec(`INSERT INTO ${TABLE} (id, task_session_id, task_id, agent_execution_id, tool_call_id, observed_at, updated_at)
        VALUES ('x', 's1', 'k', 'unknown', 't1', now(), now())
        ON CONFLICT (task_session_id, agent_execution_id, tool_call_id) DO UPDATE SET model = 'merged'`)
      expect(await host.rows(`SELECT id FROM ${TABLE} WHERE model = 'merged'`)).toEqual([['r2']])
    })
  })

  it('AC-33: constraints under any name, and a second one over the same columns, are all found', async () => {
    await withFormer(open, {}, async (host) => {
      await host.exec(`ALTER TABLE ${TABLE} ADD CONSTRAINT "odd ""name""" UNIQUE (tool_call_id, task_session_id);
        CREATE UNIQUE INDEX "Third" ON ${TABLE} (task_session_id, tool_call_id) INCLUDE (model)`)
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done' })
      const unique = await host.rows(
        `SELECT indexname FROM pg_indexes WHERE tablename = '${TABLE}' AND indexdef LIKE '%UNIQUE%' ORDER BY 1`,
      )
      expect(unique).toEqual([[`${TABLE}_pkey`], [`${TABLE}_task_session_id_agent_execution_id_t_key`]])
    })
  })

  it("AC-33: partial and expression indexes are the host's own: no such key, and they stay", async () => {
    await withHost(open, async (host) => {
      await start(host.session)
      await host.exec(`CREATE UNIQUE INDEX host_partial ON ${TABLE} (task_session_id, tool_call_id) WHERE model = 'x';
        CREATE UNIQUE INDEX host_expression ON ${TABLE} (task_session_id, lower(tool_call_id))`)
      expect((await start(host.session)).outcomes).toEqual(NOTHING_TO_DO)
    })
  })

  it('AC-33: the table of the search path is upgraded, a table of that name elsewhere is not', async () => {
    await withFormer(open, {}, async (host) => {
      await host.exec(`DROP SCHEMA IF EXISTS "Other Schema" CASCADE; CREATE SCHEMA "Other Schema"; SET search_path TO "Other Schema";
        ${HOST_SCHEMA} ${formerTable({ oldKey: 'index' })} ${formerRows('postgres')} RESET search_path`)
      const before = [await dumpRows(host), await dumpSchema(host)]
      const pool = new pg.Pool({ connectionString: host.url, options: '-c search_path="Other\\ Schema"' })
      try {
        expect((await start(pgSession(pool))).outcomes).toMatchObject({
          upgrade: 'done',
          metrics: 'done',
          indexes: 'done',
          backfill: 'done',
        })
        expect((await start(pgSession(pool))).outcomes).toEqual(NOTHING_TO_DO)
      } finally {
        await pool.end()
      }
      expect([await dumpRows(host), (await dumpSchema(host)).filter(([, , table]) => table !== TABLE)]).toEqual([
        before[0],
        before[1]?.filter(([, , table]) => table !== TABLE),
      ])
      const there = await host.rows(
        `SELECT COUNT(*) FROM pg_attribute WHERE attrelid = 'public.${TABLE}'::regclass AND attname = 'agent_execution_id'`,
      )
      expect(there).toEqual([['0']])
      await host.exec('DROP SCHEMA "Other Schema" CASCADE')
    })
  })

  it('AC-33a: while a transaction uses the table the upgrade gives up after some seconds, and the table is whole', async () => {
    await withFormer(open, {}, async (host) => {
      const client = new pg.Client({ connectionString: host.url })
      await client.connect()
      await client.query(`BEGIN; UPDATE ${TABLE} SET model = 'held' WHERE id = 'r1'`)
      const schema = await dumpSchema(host)
      const { outcomes, warnings } = await start(host.session)
      expect(outcomes).toMatchObject({ upgrade: 'failed', execution_since: 'skipped', backfill: 'skipped' })
      expect(warnings[0]).toMatchObject({ step: 'upgrade', code: 'busy' })
      expect(await dumpSchema(host)).toEqual(schema)
      await client.query('ROLLBACK')
      await client.end()
      expect((await start(host.session)).outcomes).toMatchObject({ upgrade: 'done', backfill: 'done' })
    })
  })

  it('AC-18: where everything is done the activation lock is not taken: another process may hold it', async () => {
    await withHost(open, async (host) => {
      await start(host.session)
      const client = new pg.Client({ connectionString: host.url })
      await client.connect()
      await client.query('BEGIN; SELECT pg_advisory_xact_lock(8472625384046328829)')
      expect((await start(host.session)).outcomes).toEqual(NOTHING_TO_DO)
      await client.end()
    })
  })

  // Catches: a lock, or a backfill, that a role's statement_timeout ends at every start for ever; transaction_timeout is of 17 and later.
  it('AC-18 AC-24: a short statement_timeout of the role ends neither the wait for the lock nor a slow backfill', async () => {
    await withHost(open, async (host) => {
      const timeouts = `-c statement_timeout=300ms${version === 18 ? ' -c transaction_timeout=600ms' : ''}`
      const pool = new pg.Pool({ connectionString: host.url, options: timeouts })
      const client = new pg.Client({ connectionString: host.url })
      await client.connect()
      try {
        await client.query('BEGIN; SELECT pg_advisory_xact_lock(8472625384046328829)')
        const starting = start(pgSession(pool))
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        await client.query('COMMIT')
        expect((await starting).outcomes).toMatchObject({ schema: 'done', execution_since: 'done', backfill: 'done' })
        await host.exec(`INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1'); ${message('m1', 's1', 't1', '2026-08-05 01:02:03+00:00')} DELETE FROM kandev_meta;
          CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.8); RETURN NEW; END $$;
          CREATE TRIGGER slow BEFORE INSERT ON ${TABLE} FOR EACH ROW EXECUTE FUNCTION slow()`)
        expect((await start(pgSession(pool))).report.steps.at(-1)).toMatchObject({ outcome: 'done', backfill: { inserted: 1 } })
        const left = await pool.query('SHOW statement_timeout')
        expect(left.rows).toEqual([{ statement_timeout: '300ms' }])
      } finally {
        await client.end()
        await pool.end()
      }
    })
  })

  it('AC-20: a server that cannot be reached is reported, and nothing is thrown', async () => {
    const pool = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
    const { outcomes, warnings } = await start(pgSession(pool))
    expect(outcomes).toEqual({
      schema: 'failed',
      upgrade: 'skipped',
      metrics: 'skipped',
      indexes: 'skipped',
      execution_since: 'skipped',
      backfill: 'skipped',
    })
    expect(warnings).toMatchObject([{ step: 'schema', code: 'connection' }])
    await pool.end()
  })
})
