/** Random metadata on PostgreSQL 15 and 18: the projection's pure function and the backfill's SQL agree, message by message. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { messages } from './arbitraries/messages.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { compareBackfills, createLenientHost } from './oracle/compare-backfill.ts'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'

describe('AC-19, AC-21 to AC-24: the backfill of random messages on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
    for (const { session } of databases) await session.run(createLenientHost(session))
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Catches: what properties/projection.test.ts names, where PostgreSQL alone does it: a cast that aborts (22P02, 22P05, 54001), jsonb
  // that forgets how a number was written, int4, the session's time zone, infinity, an order by the database's own collation.
  it('AC-23b: every row, every count and the high-water mark are those of the pure function', {
    timeout: patience(120, 60),
  }, async () => {
    await assertHolds(
      fc.asyncProperty(messages(), (history) => compareBackfills(databases, history)),
      60,
    )
  })
})
