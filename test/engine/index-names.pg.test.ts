/** The names PostgreSQL gives to the indexes of constraints, asked of PostgreSQL itself. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineContract, renderSchema } from '../../src/index.ts'
import { freshDatabase, postgresUrls } from '../support/postgres.ts'

type Spec = Parameters<typeof defineContract>[0]

const TABLES: readonly (readonly [table: string, key: readonly string[]])[] = [
  ['t', ['k']],
  ['T "x"', ['a', 'B', 'ç']],
  ['x'.repeat(63), ['k']],
  ['é'.repeat(31), ['é'.repeat(31)]],
  ['🜁'.repeat(15), ['k']],
  ['t', ['y'.repeat(63), 'z'.repeat(63), 'k']],
  ['x'.repeat(40), ['y'.repeat(40), 'z'.repeat(10)]],
  [`${'x'.repeat(30)}é`, [`${'y'.repeat(28)}é`, '列列列']],
]

/** The key stands beside the primary key, so that both constraints have an index. */
const contractOf = (table: string, key: readonly string[], indexes: readonly string[] = []) =>
  defineContract({
    table,
    key,
    columns: {
      ...Object.fromEntries(key.map((name) => [name, { type: 'text', rule: { kind: 'key' } }])),
      id: { type: 'text', rule: { kind: 'writeOnce' } },
    },
    primaryKey: ['id'],
    indexes: indexes.map((name) => ({ name, columns: ['id'] })),
  } as Spec)

describe.each(postgresUrls())('index names on PostgreSQL $version', ({ version }) => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  let client: pg.Client
  beforeAll(async () => {
    database = await freshDatabase(version)
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(() => client.end().then(database.drop))

  // Catches: names cut in another way than PostgreSQL cuts them; IF NOT EXISTS would then leave the index out without a word.
  it.each(TABLES)('hazard 16: the constraints of %s (%j) have names that no index may have', async (table, key) => {
    await client.query('BEGIN')
    await client.query(renderSchema(contractOf(table, key), 'postgres'))
    const { rows } = await client.query<{ name: string }>('SELECT indexname AS name FROM pg_indexes WHERE tablename = $1', [
      table,
    ])
    await client.query('ROLLBACK')
    expect(rows).toHaveLength(2)
    for (const { name } of rows) expect(() => contractOf(table, key, [name])).toThrow('PostgreSQL gives to a constraint')
    expect(contractOf(table, key, ['t_id_key', 't_key'])).toMatchObject({ table })
  })
})
