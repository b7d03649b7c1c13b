/** What a row holds that another program inserted without naming the nullable columns: NULL in each, or somebody added a DEFAULT. */
import { type Program, type SqlValue, tableOf } from '../src/index.ts'
import { subagentContexts } from '../src/subagents/index.ts'
import { type LiveDatabase, rolledBack } from './oracle/databases.ts'
import { type Fault, withFault } from './oracle/fault.ts'

/** What an async_launched subagent's creating frame carries, and no metric: 75 % of real traffic. */
const BARE: Readonly<Record<string, string>> = {
  ...{ id: 'i', task_session_id: 's', task_id: 't', agent_execution_id: 'e', tool_call_id: 'c', agent_status: 'async_launched' },
  ...{ observed_at: '2026-08-03 15:32:20.123456', updated_at: '2026-08-03 15:32:20.123456' },
}

/** The columns of that row that are not NULL although nothing was reported for them. Foreign keys play no part. */
export const unreportedValues = async ({ session }: LiveDatabase, fault: Fault = (sql) => sql): Promise<readonly string[]> => {
  const table = tableOf({ ...subagentContexts, foreignKeys: [] }, session.dialect)
  const columns = Object.keys(BARE)
  const values = Object.values(BARE).map((value) => `'${value}'`)
  const insert = `INSERT INTO task_session_subagents (${columns.join(', ')}) VALUES (${values.join(', ')})`
  const body = function* (): Program<readonly SqlValue[]> {
    yield* withFault(table.create(), fault)
    yield { kind: 'script', name: 'insert', sql: insert }
    const [row = []] = yield* table.list()
    return row as readonly SqlValue[] // no bool is nullable
  }
  const row = await session.run(rolledBack('bare insert', body))
  const names = Object.entries(subagentContexts.columns)
  return names.flatMap(([name, { nullable }], at) => (nullable && !columns.includes(name) && row[at] !== null ? [name] : []))
}
