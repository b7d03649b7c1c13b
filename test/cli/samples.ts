import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const FRAMES = fileURLToPath(new URL('../../examples/frames.ndjson', import.meta.url))
export const SESSIONS = fileURLToPath(new URL('../../examples/sessions.ndjson', import.meta.url))

export const sampleLines = (): readonly string[] => readFileSync(FRAMES, 'utf8').trim().split('\n')

/** The same lines in an order that the seed alone decides (Fisher–Yates over mulberry32). */
export const shuffled = (lines: readonly string[], seed: number): readonly string[] => {
  const mixed = [...lines]
  let state = seed
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const held = mixed[at] ?? ''
    mixed[at] = mixed[other] ?? ''
    mixed[other] = held
  }
  return mixed
}

/** One frame as a line; fields with the value `undefined` are left out. */
export const line = (fields: Readonly<Record<string, unknown>> = {}, subagent: unknown = {}): string =>
  JSON.stringify({
    task_session_id: 's1',
    task_id: 't1',
    tool_call_id: 'c1',
    execution_id: 'e1',
    observed_at: '2026-08-03T15:32:20.000001Z',
    ...fields,
    normalized: { kind: 'subagent_task', subagent_task: subagent },
  })

/** Rows without their ids, which are random. */
export const withoutId = (rows: string): string => rows.replaceAll(/^\{"id":"[^"]*",/gm, '{')
