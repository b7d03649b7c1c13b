/** Random stores on PostgreSQL 15 and 18: the health check says what the sets say. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { healthStore } from './arbitraries/health-stores.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { createLenientHost } from './oracle/compare-backfill.ts'
import { compareHealths } from './oracle/compare-health.ts'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'

describe('AC-19, AC-28, AC-29: health of random stores on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
    for (const { session } of databases) await session.run(createLenientHost(session))
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Catches: what properties/health.test.ts names, where PostgreSQL alone does it: an alias left out, a key in the session's time zone.
  it('AC-28: shortfall, excess, newest observation and collisions are those of the model', { timeout: patience(120, 60) }, () =>
    assertHolds(
      fc.asyncProperty(healthStore(), (store) => compareHealths(databases, store)),
      60,
    ),
  )
})
