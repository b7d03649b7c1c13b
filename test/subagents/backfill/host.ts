import { transaction } from '../../../src/adapters/program.ts'
import { run } from '../../../src/adapters/session.ts'
import { type Backfilled, backfillSteps } from '../../../src/subagents/backfill.ts'
import type { SubagentContext } from '../../../src/subagents/contract.ts'
import { listAll } from '../../../src/subagents/reads.ts'
import { contextTable } from '../../../src/subagents/table.ts'
import { HOST_SCHEMA, type HostDatabase } from '../../support/host-database.ts'

export type Open = () => Promise<HostDatabase>

/** A message as a test writes it; what it leaves out is what every good message has. */
export interface Said {
  readonly id?: string
  readonly session?: string
  readonly task?: string | null
  readonly turn?: string
  /** JSON text as it stands; `meta(…)` makes the usual one. */
  readonly metadata?: string | null
  readonly at?: string
  readonly updated?: string
}

export interface Store {
  readonly host: HostDatabase
  readonly say: (...messages: readonly Said[]) => Promise<void>
  readonly backfill: () => Promise<Backfilled>
  readonly rows: () => Promise<readonly SubagentContext[]>
}

/** Metadata about a subagent: payload fields, and top-level ones that override. */
export const meta = (payload: Readonly<Record<string, unknown>> = {}, top: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    tool_call_id: 't1',
    status: 'in_progress',
    normalized: { kind: 'subagent_task', subagent_task: payload },
    ...top,
  })

const literal = (value: string | null): string => (value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`)

let count = 0

export const insertOf = ({
  id,
  session = 's1',
  task = 'k1',
  turn = 'u1',
  metadata = meta(),
  at = '2026-08-03 15:32:20.123456',
  updated = at,
}: Said): string =>
  `INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id, content, metadata, created_at, updated_at) VALUES (${[
    id ?? `m${++count}`,
    session,
    task,
    turn,
    'x',
    metadata,
    at,
    updated,
  ]
    .map(literal)
    .join(', ')});`

/** A host's database with sessions s1 and s2, our table, and no rows; closed whatever happens. Messages need no living session in it. */
export const withStore = async (open: Open, body: (store: Store) => Promise<void>): Promise<void> => {
  const host = await open()
  try {
    await host.exec(HOST_SCHEMA)
    await host.exec("INSERT INTO task_sessions (id, task_id) VALUES ('s1', 'k1'), ('s2', 'k2')")
    await host.exec(ORPHANS_ALLOWED[host.dialect])
    await run(host.session, contextTable(host.dialect).create())
    await body({
      host,
      say: (...messages) => host.exec(messages.map(insertOf).join('\n')),
      backfill: async () => run(host.session, transaction('backfill', backfillSteps(host.dialect))),
      rows: async () => listAll(host.session),
    })
  } finally {
    await host.close()
  }
}

const ORPHANS_ALLOWED = {
  sqlite: 'PRAGMA foreign_keys = OFF',
  postgres: 'ALTER TABLE task_session_messages DROP CONSTRAINT task_session_messages_task_session_id_fkey',
} as const

/** The spec's own data, as its NDJSON gives it. */
export const without = (row: SubagentContext, ...names: readonly (keyof SubagentContext)[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.some((left) => left === name)))
