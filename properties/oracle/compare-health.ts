/** One store, looked at by the health check on a real database and by the model; every part of the report must agree. */
import { expect } from 'vitest'
import { runMany } from '../../src/adapters/program.ts'
import type { Program } from '../../src/index.ts'
import { type HealthReport, healthSteps, keyInstantOf, LISTED_KEYS } from '../../src/subagents/index.ts'
import type { HealthStore } from '../arbitraries/health-stores.ts'
import { messageOn, SESSIONS } from '../arbitraries/messages.ts'
import { healthOf } from '../models/health.ts'
import { insertMessages } from './compare-backfill.ts'
import { type LiveDatabase, rolledBack } from './databases.ts'

const ROW = 'id, task_session_id, task_id, agent_execution_id, tool_call_id, is_async, source, observed_at, updated_at'

/** The same on several. */
export const compareHealths = async (databases: readonly LiveDatabase[], store: HealthStore): Promise<void> => {
  for (const database of databases) await compareHealth(database, store)
}

/** Compares on one database; leaves nothing behind. `look` stands for the health check, so that a wrong one can be put in its place. */
export const compareHealth = async (
  { name, session }: LiveDatabase,
  store: HealthStore,
  look: () => Program<HealthReport> = () => healthSteps(session.dialect),
): Promise<void> => {
  const { dialect } = session
  const place = (at: number): string => (dialect === 'sqlite' ? '?' : `$${at}`)
  const messages = store.messages.map((message) => messageOn(message, dialect))
  const report = await session.run(
    rolledBack('compare', function* () {
      yield* insertMessages(session, messages)
      const rows = store.rows.map(({ session: parent, execution, call, observed }, at) => [
        `row ${at}`,
        parent,
        'task',
        execution,
        call,
        0n,
        'live',
        observed[dialect],
        observed[dialect],
      ])
      yield* runMany(
        'insert rows',
        `INSERT INTO task_session_subagents (${ROW}) VALUES (${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(place).join(', ')})`,
        rows,
      )
      yield* runMany('insert key', `INSERT INTO kandev_meta (key, value) VALUES (${place(1)}, ${place(2)})`, [
        ['subagent_context_capture_since', store.key],
      ])
      return yield* look()
    }),
  )
  const observed = store.rows.map(({ session: task_session_id, call, canonical }) => ({
    task_session_id,
    tool_call_id: call,
    observed_at: canonical,
  }))
  const verdict = healthOf(messages, observed, keyInstantOf(store.key) ?? '', (id) =>
    (SESSIONS as readonly string[]).includes(id),
  )
  const { missing, newest, ...counts } = verdict
  expect(asCounts(report), name).toEqual({
    ...counts,
    missing: missing.length,
    newest: verdict.state === 'nothing_since_activation' ? undefined : newest,
  })
  const listed = (report.state === 'shortfall' ? report.missingKeys : []).map((key) =>
    JSON.stringify([key.task_session_id, key.tool_call_id]),
  )
  expect(new Set(listed).size, name).toBe(Math.min(missing.length, LISTED_KEYS))
  expect(missing, name).toEqual(expect.arrayContaining(listed))
}

const asCounts = (report: HealthReport): Readonly<Record<string, unknown>> =>
  report.state === 'not_activated'
    ? report
    : {
        state: report.state,
        missing: report.state === 'shortfall' ? Number(report.missing) : 0,
        newest: report.state === 'nothing_since_activation' ? undefined : report.newestObservation,
        excess: Number(report.excess),
        collisions: Number(report.collisions),
      }
