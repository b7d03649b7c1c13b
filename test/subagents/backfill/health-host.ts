import { expect } from 'vitest'
import { type HealthReport, health } from '../../../src/subagents/health.ts'
import { createWriter } from '../../../src/subagents/writer.ts'
import { meta, type Open, type Said, type Store, withStore } from './host.ts'

export const SINCE = '2026-08-03T12:00:00.000000500Z'
export const AFTER = '2026-08-03 15:32:20.123456'
export const BEFORE = '2026-08-03 11:59:59.999999'

export interface Watched extends Store {
  readonly activated: (since?: string) => Promise<void>
  /** The message and, unless the writer is dead, the row of one subagent. */
  readonly subagent: (
    toolCallId: string,
    options?: { readonly row?: boolean; readonly at?: string; readonly execution?: string; readonly said?: Said },
  ) => Promise<void>
  readonly row: (toolCallId: string, at?: string, execution?: string) => Promise<void>
  readonly check: () => Promise<HealthReport>
}

/** A store whose messages and rows a test writes, and its health. */
export const withHealth = (open: Open, body: (store: Watched) => Promise<void>): Promise<void> =>
  withStore(open, async (store) => {
    const { host, say } = store
    const { record } = createWriter(host.session, { log: { warn: () => undefined } })
    const row = async (tool_call_id: string, at = AFTER, execution_id = 'e1'): Promise<void> => {
      const frame = {
        task_session_id: 's1',
        task_id: 'k1',
        tool_call_id,
        execution_id,
        observed_at: `${at.replace(' ', 'T')}Z`,
        normalized: { kind: 'subagent_task' },
      }
      expect(await record(frame)).toMatchObject({ outcome: 'persisted' })
    }
    await body({
      ...store,
      row,
      activated: (since = SINCE) =>
        host.exec(`INSERT INTO kandev_meta (key, value) VALUES ('subagent_context_capture_since', '${since}')`),
      subagent: async (toolCallId, { row: hasRow = true, at = AFTER, execution, said } = {}) => {
        await say({ metadata: meta({}, { tool_call_id: toolCallId }), at, ...said })
        if (hasRow) await row(toolCallId, at, execution)
      },
      check: async () => health(host.session),
    })
  })
