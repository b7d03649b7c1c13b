/** Random stores on SQLite: the health check says what the sets say. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { healthStore } from './arbitraries/health-stores.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { createLenientHost } from './oracle/compare-backfill.ts'
import { compareHealth } from './oracle/compare-health.ts'
import { openSqlite } from './oracle/databases.ts'

describe('AC-28, AC-29: health of random stores on SQLite', () => {
  const database = openSqlite()
  beforeAll(() => database.session.run(createLenientHost(database.session)))
  afterAll(() => database.close())

  // Catches: a signed difference, rows counted instead of keys, the identity filter mirrored on the excess side, an unscoped MAX, a key
  // compared as text or by julianday, a raw bound too near for an offset, metadata that aborts the check.
  it('AC-28: shortfall, excess, newest observation and collisions are those of the model', { timeout: patience(120, 200) }, () =>
    assertHolds(
      fc.asyncProperty(healthStore(), (store) => compareHealth(database, store)),
      200,
    ),
  )
})
