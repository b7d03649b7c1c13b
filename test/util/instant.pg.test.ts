/** PostgreSQL reads the same moment of every spelling, to the microsecond, whatever the session's time zone. */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { micros, spell, spelling } from '../../properties/arbitraries/values.ts'
import { toInstant } from '../../src/util/instant.ts'
import { freshDatabase } from '../support/postgres.ts'

describe('hazard 42: instants on PostgreSQL', () => {
  let client: pg.Client
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await freshDatabase(18)
    drop = database.drop
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await drop()
  })

  // Catches: a naive timestamp in local time, an offset ignored, digits lost.
  it('hazard 42: the server reads what toInstant reads', async () => {
    const batch = fc.array(fc.tuple(micros(), spelling()), { minLength: 100, maxLength: 100 }) // one round trip for a hundred
    await fc.assert(
      fc.asyncProperty(batch, async (moments) => {
        // Past six digits the server rounds and we cut, so only six are sent; a naive text means UTC, which the server is told.
        const texts = moments.map(([at, how]) => spell(at, { ...how, digits: Math.min(how.digits, 6), zone: how.zone || 'Z' }))
        const sql = `SELECT to_char(t::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS read
          FROM unnest($1::text[]) WITH ORDINALITY AS sent (t, n) ORDER BY n`
        const { rows } = await client.query<{ read: string }>(sql, [texts])
        expect(rows.map(({ read }) => read)).toEqual(texts.map((text) => toInstant(text)))
      }),
      { numRuns: 20 },
    )
  })
})
