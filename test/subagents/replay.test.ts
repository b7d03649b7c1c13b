import { readFileSync } from 'node:fs'
import { isRight } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { createReplay, parseFrameText } from '../../src/subagents/index.ts'
import { frameOf } from './live/harness.ts'

const lines = readFileSync(new URL('../../examples/frames.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')

it('replay: the sample leaves the population and the fan-out of the spec', () => {
  const replay = createReplay()
  for (const line of lines) {
    const frame = parseFrameText(line)
    if (isRight(frame)) replay.record(frame.right)
  }
  const rows = replay.rows()
  const count = (names: readonly (string | null)[]): Record<string, number> =>
    names.reduce<Record<string, number>>((counts, name) => ({ ...counts, [String(name)]: (counts[String(name)] ?? 0) + 1 }), {})
  expect(count(rows.map((row) => row.agent_status))).toEqual({ async_launched: 190, completed: 57, started: 5, null: 1 })
  const perTurn = Object.values(count(rows.map((row) => row.turn_id)))
  expect(count(perTurn.map(String))).toEqual({ 1: 65, 2: 12, 3: 42, 4: 5, 5: 2, 8: 1 })
})

it('replay: it counts and answers like the writer', () => {
  const replay = createReplay()
  const outcomes = [frameOf({}), frameOf({ task_id: '' }), frameOf({ status: 5 }), {}].map(
    (frame) => replay.record(frame).outcome,
  )
  expect(outcomes).toEqual(['persisted', 'skipped_no_identity', 'rejected', 'ignored'])
  expect(replay.counters()).toMatchObject({ attempted: 2, persisted: 1, skipped_no_identity: 1, rejected: 1, ignored: 1 })
})

it('replay: keys that differ only in where one part ends stay apart', () => {
  const replay = createReplay()
  replay.record(frameOf({ execution_id: 'a', tool_call_id: 'bc' }))
  replay.record(frameOf({ execution_id: 'ab', tool_call_id: 'c' }))
  expect(replay.rows()).toHaveLength(2)
})
