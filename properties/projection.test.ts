/** Random metadata on SQLite: the projection's pure function and the backfill's SQL agree, message by message. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { messages } from './arbitraries/messages.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { compareBackfill, createLenientHost } from './oracle/compare-backfill.ts'
import { openSqlite } from './oracle/databases.ts'

describe('AC-21 to AC-24: the backfill of random messages on SQLite', () => {
  const database = openSqlite()
  beforeAll(() => database.session.run(createLenientHost(database.session)))
  afterAll(() => database.close())

  // Catches: a document that aborts the statement; a clamped, rounded or fabricated value; the first of duplicate names; a kind spelled
  // with escapes that the prefilter misses; U+0000 or a lone surrogate that gets through; turn_id from the JSON; tool_status from the
  // payload; the tiebreak by UTF-16; a wrong count; a temporary table left behind.
  it('AC-21: every row, every count and the high-water mark are those of the pure function', {
    timeout: patience(120, 200),
  }, async () => {
    await assertHolds(
      fc.asyncProperty(messages(), (history) => compareBackfill(database, history)),
      200,
    )
  })
})
