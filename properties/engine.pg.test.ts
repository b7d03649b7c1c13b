/** The engine on PostgreSQL: any contract, any history, the same rows as the reducer after every step. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { contract } from './arbitraries/contracts.ts'
import { contractWithHistory } from './arbitraries/rows.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'
import { runAndCompare } from './oracle/run-and-compare.ts'
import { engineRegressions } from './regressions/index.ts'

describe('AC-14: random contracts, random histories on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Catches: any rule lowered wrongly, a parameter without a cast, a name or value quoted wrongly, NULL rules that only SQLite has.
  const given = contractWithHistory(contract())
  const assertSame = (on: readonly LiveDatabase[], numRuns: number): Promise<void> =>
    assertHolds(
      fc.asyncProperty(given, (one) => runAndCompare(one, on)),
      numRuns,
      engineRegressions(),
    )

  it('AC-14: PostgreSQL holds what the reducer holds after every step', { timeout: patience(60, 300) }, () =>
    assertSame(databases.slice(-1), 300),
  )

  it('AC-14: and so does an older one, with fewer runs', { timeout: patience(60, 60) }, () =>
    assertSame(databases.slice(0, -1), 60),
  )
})
