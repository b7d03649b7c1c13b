/** The schema has no DEFAULT on a column that may be unreported, on SQLite. */
import { afterAll, describe, expect, it } from 'vitest'
import { openSqlite } from './oracle/databases.ts'
import { unreportedValues } from './schema-defaults.ts'

describe('AC-7: no DEFAULT on a metric', () => {
  const sqlite = openSqlite()
  afterAll(sqlite.close)

  it('AC-7: what an insert leaves out is NULL', async () => {
    expect(await unreportedValues(sqlite)).toEqual([])
  })

  it.each(['total_tokens', 'tool_use_count', 'duration_ms', 'model', 'turn_id'])(
    'AC-7: DEFAULT 0 on %s is caught',
    async (column) => {
      const withDefault = (sql: string): string => sql.replace(new RegExp(`("${column}" [A-Z]+),`), '$1 DEFAULT 0,')
      expect(await unreportedValues(sqlite, withDefault)).toEqual([column])
    },
  )
})
