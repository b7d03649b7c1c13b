/** Every rule on every type, every pair (stored, incoming) with every special value and NULL on both sides, on SQLite. */
import { afterAll, describe, expect, it } from 'vitest'
import { RULE_SPECS } from './laws/specs.ts'
import { ENGINE_MUTANTS } from './mutants/engine.ts'
import { openSqlite } from './oracle/databases.ts'
import { exhaust } from './oracle/exhaust.ts'

describe('AC-14: small scope, whole, on SQLite', () => {
  const sqlite = openSqlite()
  afterAll(sqlite.close)

  it.each(RULE_SPECS)('AC-14: $name', async (spec) => {
    expect(await exhaust(spec, sqlite)).toBeGreaterThanOrEqual(12) // three rows at least, on an empty place and on each other
  })

  // What reads in another order, or does nothing, shows in the first rule; what is wrong with one rule shows in that rule.
  it.each(ENGINE_MUTANTS)('$breaks: $name is caught without a single random value', async ({ fault }) => {
    const caught = await Promise.allSettled(RULE_SPECS.map((spec) => exhaust(spec, sqlite, fault)))
    const reasons = caught.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
    expect(reasons.join('\n')).toContain('differs from the reducer')
  })
})
