/** The schema has no DEFAULT on a column that may be unreported, on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'
import { unreportedValues } from './schema-defaults.ts'

describe('AC-7: no DEFAULT on a metric, on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  it('AC-7: what an insert leaves out is NULL', async () => {
    expect(await Promise.all(databases.map((database) => unreportedValues(database)))).toEqual(databases.map(() => []))
  })

  it.each(['total_tokens', 'tool_use_count', 'duration_ms'])('AC-7: DEFAULT 0 on %s is caught', async (column) => {
    const withDefault = (sql: string): string => sql.replace(new RegExp(`("${column}" [A-Z]+),`), '$1 DEFAULT 0,')
    const found = await Promise.all(databases.map((database) => unreportedValues(database, withDefault)))
    expect(found).toEqual(databases.map(() => [column]))
  })
})
