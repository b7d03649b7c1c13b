import { describe, expect, it } from 'vitest'
import { health } from '../../../src/subagents/health.ts'
import { activate } from '../../../src/subagents/index.ts'
import { keysOf } from '../../support/host-database.ts'
import { AFTER, withHealth } from './health-host.ts'
import { meta, type Open } from './host.ts'

/** Settings that a role or a database may have as its default: each is set for new sessions, and taken back. */
export const serverSettings = (name: string, open: Open): void => {
  const withSetting = (setting: string, body: Parameters<typeof withHealth>[1]): Promise<void> =>
    withHealth(open, async (store) => {
      const [[database] = []] = await store.host.rows('SELECT quote_ident(current_database())')
      await store.host.exec(`ALTER DATABASE ${database} SET ${setting}`)
      try {
        await body(store)
      } finally {
        await store.host.exec(`ALTER DATABASE ${database} RESET ALL`)
      }
    })

  describe(`server settings on ${name}`, () => {
    // Catches: a literal whose backslashes are escapes there, in the reader's body, in the prefilter or in a default.
    it('AC-23b: backfill and health read every document as ever where standard_conforming_strings is off', () =>
      withSetting('standard_conforming_strings = off', async ({ host, say }) => {
        const session = host.another()
        await say(
          {
            metadata: `{"tool_call_id":"a\\\\u0000b","normalized":{"kind":"subagent\\u005ftask","subagent_task":{"model":"\\ud800"}}}`,
          },
          { metadata: meta({ model: '😀\\' }, { tool_call_id: 't2' }) },
        )
        const report = await activate(session, { log: { warn: ({ error }) => expect.unreachable(error) } })
        expect(report.steps.map(({ outcome }) => outcome)).not.toContain('failed')
        expect(await host.rows('SELECT tool_call_id, model FROM task_session_subagents ORDER BY 1')).toEqual([
          ['a\\u0000b', '\uFFFD'],
          ['t2', '😀\\'],
        ])
        await say({ metadata: meta({}, { tool_call_id: 'late' }), at: AFTER.replace('2026', '2036') })
        expect(await health(session)).toMatchObject({ state: 'shortfall', missing: 1n, missingKeys: [{ tool_call_id: 'late' }] })
      }))

    // Catches: a check that only runs where every transaction may write by default.
    it('AC-28: health runs where transactions are read-only by default', () =>
      withSetting('default_transaction_read_only = on', async ({ host, activated, say }) => {
        await activated()
        await say({ at: AFTER })
        expect(await health(host.another())).toMatchObject({ state: 'shortfall', missing: 1n })
      }))

    it('AC-28: a login without the right to temporary objects is told which right to grant', () =>
      withHealth(open, async ({ host, activated }) => {
        await activated()
        const [[database, login] = []] = await host.rows(
          "SELECT quote_ident(current_database()), quote_ident('monitor_' || current_database())",
        )
        await host.exec(`CREATE ROLE ${login} LOGIN; REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC;
          GRANT USAGE ON SCHEMA public TO ${login}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${login};
          ALTER ROLE CURRENT_USER IN DATABASE ${database} SET role = ${login}`)
        try {
          await expect(health(host.another())).rejects.toThrow(/"health: prepare" failed: .*GRANT TEMPORARY ON DATABASE/)
          await host.exec(`GRANT TEMPORARY ON DATABASE ${database} TO ${login}`)
          expect(await health(host.another())).toMatchObject({ state: 'nothing_since_activation' })
        } finally {
          await host.exec(`ALTER ROLE CURRENT_USER IN DATABASE ${database} RESET role;
            DROP OWNED BY ${login}; DROP ROLE ${login}; GRANT TEMPORARY ON DATABASE ${database} TO PUBLIC`)
        }
      }))

    // Catches: a naive cast in the session's time zone, hours off without a word; a bare error about an operator.
    it.each([
      ['created_at', 'timestamptz', 'timestamp with time zone'],
      ['updated_at', 'timestamptz(3)', 'timestamp(3) with time zone'],
      ['metadata', 'jsonb USING metadata::jsonb', 'jsonb'],
      ['metadata', 'json USING metadata::json', 'json'],
    ])('AC-24a: a host whose %s is %s is refused by name, and no key is written', (column, type, said) =>
      withHealth(open, async ({ host, say }) => {
        await say({})
        await host.exec(`ALTER TABLE task_session_messages ALTER metadata DROP DEFAULT, ALTER ${column} TYPE ${type}`)
        const warnings: unknown[] = []
        await activate(host.session, { log: { warn: (fields) => void warnings.push(fields) } })
        const error = expect.stringContaining(`task_session_messages.${column} is ${said},`)
        expect(warnings).toEqual([{ step: 'backfill', code: 'unsupported', error }])
        expect(Object.keys(await keysOf(host))).toEqual(['subagent_context_execution_since'])
      }),
    )
  })
}
