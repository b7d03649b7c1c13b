import { expect } from 'vitest'
import { ACTIVATION_STEPS } from '../../../src/subagents/activation-report.ts'
import {
  formerRows,
  formerTable,
  HOST_SCHEMA,
  type HostDatabase,
  keysOf,
  message,
  type TextRow,
} from '../../support/host-database.ts'
import { indexesOf, schemaOf } from './host.ts'

export const PREDATES = 'a database that predates the feature'
export const FORMER = 'the predecessor'
export const PARTIAL = 'both keys, a nullable column and one key of the former build'

/** Where several processes may start from. */
export const STARTS: Readonly<Record<string, (host: HostDatabase) => string>> = {
  [PREDATES]: () => `INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1');`,
  [FORMER]: ({ dialect }) => formerTable() + formerRows(dialect),
  [PARTIAL]: ({ dialect }) =>
    `${formerTable({ column: 'nullable', newKey: 'constraint' })} ${formerRows(dialect)}
     INSERT INTO kandev_meta (key, value) VALUES ('subagent_context_capture_since', '2026-08-02T10:11:12Z');`,
}

export const prepare = async (host: HostDatabase, name: string): Promise<void> => {
  await host.exec(HOST_SCHEMA + (STARTS[name]?.(host) ?? ''))
  for (const at of [1, 2, 3]) await host.exec(message(`m${at}`, 's1', `tool${at}`, `2026-08-05 01:02:0${at}+00:00`))
}

/** Every process succeeded, and the database holds what one of them alone would have left. */
export const expectOneOutcome = async (
  host: HostDatabase,
  name: string,
  outcomes: readonly Readonly<Record<string, string>>[],
  freshIndexes: readonly string[],
): Promise<void> => {
  for (const outcome of outcomes) {
    expect(Object.keys(outcome)).toEqual(ACTIVATION_STEPS)
    for (const each of Object.values(outcome)) expect(['done', 'already_done']).toContain(each)
  }
  // Each step was done by one process at most.
  for (const step of ACTIVATION_STEPS)
    expect(outcomes.filter((outcome) => outcome[step] === 'done').length).toBeLessThanOrEqual(1)
  const keys = await keysOf(host)
  expect(keys['subagent_context_backfill_through']).toBe('2026-08-05T01:02:03.000000000Z')
  expect(Object.keys(keys)).toHaveLength(3)
  if (name === PARTIAL) expect(keys['subagent_context_capture_since']).toBe('2026-08-02T10:11:12Z')
  expect(indexesOf(await schemaOf(host))).toEqual(freshIndexes)
  const counts = await host.rows(`SELECT source, COUNT(*) FROM task_session_subagents GROUP BY source ORDER BY source`)
  const live: readonly TextRow[] = name === PREDATES ? [] : [['live', '3']]
  expect(counts).toEqual([['backfill', '3'], ...live])
}
