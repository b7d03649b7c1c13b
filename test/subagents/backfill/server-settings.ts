import { describe, expect, it } from 'vitest'
import { health } from '../../../src/subagents/health.ts'
import { activate } from '../../../src/subagents/index.ts'
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
  })
}
