/** Instants on PostgreSQL, where they are naive timestamps: the boundary is exact whatever the session's time zone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query, runMany, script } from '../src/adapters/program.ts'
import { DIALECTS } from '../src/sql-render/index.ts'
import { canonicalText } from './arbitraries/values.ts'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'
import { BOUNDARY_TEXTS, boundsOf, COLUMN_TEXTS, isAtOrAfter, keyTexts } from './oracle/instants.ts'

describe('AC-24e: instants on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  const columns = [...new Map(COLUMN_TEXTS.map((column) => [column.micros, column])).values()]
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Catches: a key cast with its offset dropped, read in the session's zone (New York here), cut instead of rounded up; infinity taken
  // for a moment.
  // oxlint-disable-next-line vitest/expect-expect -- the assertion stands in the program below
  it('AC-24e: keys in every spelling classify columns 0, 1 and 40 µs away exactly', async () => {
    for (const { name, session } of databases) {
      await session.run(
        (function* () {
          yield* script('create', 'CREATE TEMP TABLE t (id SERIAL PRIMARY KEY, at TIMESTAMP)')
          yield* runMany(
            'insert',
            'INSERT INTO t (at) VALUES ($1)',
            columns.map(({ micros }) => [canonicalText(micros).slice(0, -1)]),
          )
          yield* runMany('insert', 'INSERT INTO t (at) VALUES ($1)', [
            ['infinity'],
            ['-infinity'],
            ['10000-01-01'],
            ['0001-01-01 BC'],
          ])
          const sql = `SELECT at IS NOT NULL AND ${DIALECTS.postgres.atOrAfter('t.at', () => DIALECTS.postgres.parameter(1, 'timestamp'))} FROM t ORDER BY id`
          for (const key of boundsOf(keyTexts(BOUNDARY_TEXTS))) {
            const found = yield* query(
              'classify',
              sql,
              [DIALECTS.postgres.encodeInstant(key.since, 'timestamp')],
              ([at]) => at === 't',
            )
            expect(found, `${name}: ${key.text}`).toEqual([
              ...columns.map((column) => isAtOrAfter(column, key)),
              false,
              false,
              false,
              false,
            ])
          }
          yield* script('drop', 'DROP TABLE t')
        })(),
      )
    }
  })
})
