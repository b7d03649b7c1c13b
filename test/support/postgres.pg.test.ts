import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase, postgresUrls } from './postgres.ts'
import { POSTGRES_SOURCES, TEST_TIME_ZONE } from './postgres-server.ts'

const isOwnServer = (version: number): boolean =>
  !POSTGRES_SOURCES.some((source) => source.version === version && (process.env[source.variable] ?? '') !== '')

describe.each(postgresUrls())('tooling: PostgreSQL $version for tests', ({ version }) => {
  let database: FreshDatabase
  let client: pg.Client
  const ask = async (sql: string): Promise<unknown> => Object.values((await client.query(sql)).rows[0])[0]

  beforeAll(async () => {
    database = await freshDatabase(version)
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database.drop()
  })

  test('tooling: the server answers and has the major version it is named by', async () => {
    const major = Math.floor(Number(await ask('SHOW server_version_num')) / 10_000)
    // A server of the user's own stands in for one of ours: any version the library supports will do.
    const supported = isOwnServer(version) ? [version] : [15, 16, 17, 18, 19]
    expect(supported).toContain(major)
  })

  test('tooling: the time zone is not UTC, so that time-zone mistakes show', async () => {
    expect(await ask('SHOW timezone')).toBe(TEST_TIME_ZONE)
    expect(await ask(`SELECT '2026-01-01 00:00:00+00'::timestamptz::timestamp::text`)).toBe('2025-12-31 19:00:00')
  })

  test('tooling: the encoding is UTF8', async () => {
    expect(await ask('SHOW server_encoding')).toBe('UTF8')
  })

  test('tooling: text is not ordered by bytes unless a statement asks for it', async () => {
    // Elsewhere the packages may lack ICU, and a server of the user's own has whatever collation it has.
    const possible = isOwnServer(version) && process.platform === 'linux' ? [true] : [true, false]
    expect(possible).toContain(await ask(`SELECT 'a' < 'B'`))
    expect(await ask(`SELECT 'a' COLLATE "C" < 'B'`)).toBe(false)
  })

  test('tooling: two fresh databases share nothing, and a dropped one is gone', async () => {
    const other = await freshDatabase(version)
    await client.query('CREATE TABLE here (a int)')
    const second = new pg.Client({ connectionString: other.url })
    await second.connect()
    const seen = await second.query(`SELECT to_regclass('here') AS name`)
    await second.end()
    await other.drop()
    expect(seen.rows).toEqual([{ name: null }])
    await expect(new pg.Client({ connectionString: other.url }).connect()).rejects.toMatchObject({ code: '3D000' })
  })
})
