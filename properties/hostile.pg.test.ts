/** Hostile names and values, printed and executed on PostgreSQL. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'
import { hostileNameCases, hostileValueCases } from './oracle/hostile.ts'
import { runAndCompare } from './oracle/run-and-compare.ts'

describe('hazard 16: hostile names and values on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Catches: a name that is not quoted, or not doubled, or taken for a placeholder. runAndCompare throws on a difference.
  it.each(hostileNameCases)('hazard 16: a table, an index and columns named $name', (given) => runAndCompare(given, databases))

  // Catches: a value printed instead of bound, two texts policies, a default printed wrongly.
  it.each(hostileValueCases)('hazard 37: the text $name', (given) => runAndCompare(given, databases))
})
