import { start } from '../../support/activate.ts'
import type { HostDatabase } from '../../support/host-database.ts'
import { dumpSchema, type FormerShape, formerRows, formerTable, HOST_SCHEMA, type TextRow } from '../../support/host-database.ts'

export type Open = () => Promise<HostDatabase>

/** A fresh database with the host's tables, closed whatever happens. */
export const withHost = async (open: Open, body: (host: HostDatabase) => Promise<void>): Promise<void> => {
  const host = await open()
  try {
    await host.exec(HOST_SCHEMA)
    await body(host)
  } finally {
    await host.close()
  }
}

/** The same with our table in a former shape, rows in it. */
export const withFormer = (open: Open, shape: FormerShape, body: (host: HostDatabase) => Promise<void>): Promise<void> =>
  withHost(open, async (host) => {
    await host.exec(formerTable(shape))
    await host.exec(formerRows(host.dialect, shape))
    await body(host)
  })

/** Columns, names aside from the order in which an upgrade has to add them; and everything else as it is. */
export const schemaOf = async (host: HostDatabase): Promise<readonly TextRow[]> =>
  (await dumpSchema(host)).filter(([, , table]) => host.dialect === 'postgres' || table === 'task_session_subagents')

/** The schema of a database that this build has made. */
export const freshSchema = async (open: Open): Promise<readonly TextRow[]> => {
  let schema: readonly TextRow[] = []
  await withHost(open, async (host) => {
    await start(host.session)
    schema = await schemaOf(host)
  })
  return schema
}

/** Indexes of a schema, by name and definition. SQLite's predecessor writes them without quotes. */
export const indexesOf = (schema: readonly TextRow[]): readonly string[] =>
  schema
    .filter(([kind]) => kind === 'index')
    .map(([, name, , definition]) => `${name}: ${(definition ?? '').replaceAll('"', '')}`)

const OLD_COLUMNS =
  'id, task_session_id, task_id, turn_id, tool_call_id, parent_tool_call_id, subagent_type, description, agent_id, child_session_id, ' +
  'model, agent_status, tool_status, is_async, total_tokens, tool_use_count, duration_ms, source, observed_at, settled_at, updated_at'

/** The rows of the predecessor, in the order they are stored in, values as the database writes them. */
export const oldColumns = (host: HostDatabase): Promise<readonly TextRow[]> => {
  const sqlite = OLD_COLUMNS.split(', ').map((name) => `typeof(${name}) || quote(${name})`)
  const list =
    host.dialect === 'sqlite'
      ? sqlite.join(', ')
      : OLD_COLUMNS.split(', ')
          .map((name) => `${name}::text`)
          .join(', ')
  const order = host.dialect === 'sqlite' ? 'rowid' : 'id'
  return host.rows(`SELECT ${list} FROM task_session_subagents WHERE source = 'live' ORDER BY ${order}`)
}

export const executionIds = async (host: HostDatabase): Promise<readonly (string | null)[]> =>
  (await host.rows(`SELECT agent_execution_id FROM task_session_subagents ORDER BY id`)).map(([id]) => id ?? null)
