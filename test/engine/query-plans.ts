/** The read paths use an index: asserted on the plan itself, on a table with enough rows and statistics. */
import { expect, it } from 'vitest'
import { type Program, type SqlValue, transaction } from '../../src/adapters/program.ts'
import { run, type Session } from '../../src/adapters/session.ts'
import { healthSteps } from '../../src/subagents/health.ts'
import { backfillSteps, createWriter, initialise, insertSession, listBySession, listByTurn } from '../../src/subagents/index.ts'
import { insertKey } from '../../src/subagents/keys.ts'
import { frameOf } from '../subagents/live/harness.ts'
import { watching } from '../support/stepping.ts'

const SESSIONS = 200
const ROWS = 6_000
const MESSAGES = 20_000

/** Seconds between two messages: a history of five months, of which the window of health is a day and a half. */
const APART = 600
const second = (at: number): string =>
  new Date(Date.parse('2026-08-01T00:00:00Z') + at * APART * 1_000).toISOString().slice(0, 19)

function* script(sql: string): Program<void> {
  yield { kind: 'script', name: 'fill', sql }
}
function* rowsOf(sql: string, params: readonly SqlValue[]): Program<readonly (readonly unknown[])[]> {
  return (yield { kind: 'query', name: 'explain', sql, params, prepare: false }).rows
}

const fillMessages = (dialect: Session['dialect']): string => {
  const series =
    dialect === 'sqlite'
      ? `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${MESSAGES - 1})`
      : `WITH n(i) AS (SELECT generate_series(0, ${MESSAGES - 1}))`
  const at =
    dialect === 'sqlite'
      ? `strftime('%Y-%m-%d %H:%M:%S', '2026-08-01', (i * ${APART}) || ' seconds') || '.000000+00:00'`
      : `timestamp '2026-08-01' + i * interval '${APART} seconds'`
  return `INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id, content, metadata, created_at)
    ${series} SELECT 'm' || i, 's' || (i % ${SESSIONS}), 't', 'u' || i, 'x',
      CASE WHEN i % 33 = 0 THEN '{"tool_call_id":"m' || i || '","status":"completed","normalized":{"kind":"subagent_task","subagent_task":{}}}' ELSE '{}' END, ${at} FROM n`
}

/** Fills a database once; the returned function gives every statement that a program sends, with its plan. */
export const queryPlans = (
  open: () => Promise<Session>,
  plan: (session: Session, sql: string, params: readonly SqlValue[]) => Promise<string>,
): void => {
  const planned = async (program: (session: Session) => unknown): Promise<readonly { step: string; plan: string }[]> => {
    const session = await ready()
    const sent: { step: string; sql: string; params: readonly SqlValue[] }[] = []
    const noting = watching(session, (step) => {
      // Keys are few: kandev_meta is no table that grows.
      if (step.kind === 'query' && !step.sql.includes('kandev_meta'))
        sent.push({ step: step.name, sql: step.sql, params: step.params })
    })
    await program(noting)
    const plans: { step: string; plan: string }[] = []
    for (const { step, sql, params } of sent) plans.push({ step, plan: await plan(session, sql, params) })
    return plans
  }
  let filled: Promise<Session> | undefined
  const ready = (): Promise<Session> => (filled ??= open().then(fill))

  it.each([
    ['listBySession', (session: Session) => listBySession(session, 's7')],
    ['listByTurn', (session: Session) => listByTurn(session, 'u7')],
    ['health with a window', (session: Session) => run(session, healthSteps(session.dialect))],
  ] as const)('AC-13, AC-28: %s never scans a whole table', async (_name, program) => {
    const plans = await planned(program)
    expect(plans.length).toBeGreaterThan(0)
    for (const { step, plan: text } of plans) expect(text, `${step}:\n${text}`).not.toMatch(FULL_SCAN)
  })

  // Catches: a pattern that no plan ever matches.
  it('AC-13: a read without its index is seen as a full scan', async () => {
    const session = await ready()
    expect(await plan(session, "SELECT * FROM task_session_subagents WHERE model = 'm'", [])).toMatch(FULL_SCAN)
  })
}

/** SQLite's SCAN of a table (not of an index's covering range, nor of a subquery's result), PostgreSQL's Seq Scan of one. */
const FULL_SCAN =
  /SCAN (?:stored|task_session_subagents|task_session_messages|source|messages?)\b|Seq Scan on (?:task_session_subagents|task_session_messages)/

const fill = async (session: Session): Promise<Session> => {
  await run(session, initialise(session.dialect))
  for (let at = 0; at < SESSIONS; at++) await run(session, insertSession(session.dialect)({ id: `s${at}`, task_id: 't' }))
  const writer = createWriter(session, { log: { warn: () => undefined } })
  await writer.recordAll(
    Array.from({ length: ROWS }, (_, at) =>
      frameOf({ task_session_id: `s${at % SESSIONS}`, turn_id: `u${at}`, tool_call_id: `c${at}`, observed_at: `${second(at)}Z` }),
    ),
  )
  expect(writer.counters().persisted).toBe(ROWS)
  await run(session, script(fillMessages(session.dialect)))
  await run(session, transaction('backfill', backfillSteps(session.dialect)))
  await run(session, insertKey(session.dialect)('captureSince', `${second(MESSAGES - 200)}.000000000Z`))
  await run(session, script('ANALYZE'))
  return session
}

export { rowsOf }
