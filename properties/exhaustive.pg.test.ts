/** Every rule on every type, every pair (stored, incoming) with every special value and NULL on both sides, on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RULE_SPECS } from './laws/specs.ts'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'
import { exhaust } from './oracle/exhaust.ts'

describe('AC-14: small scope, whole, on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  it.each(RULE_SPECS)('AC-14: $name', async (spec) => {
    const counts = await Promise.all(databases.map((database) => exhaust(spec, database)))
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(12) // three rows at least, on an empty place and on each other
  })
})
