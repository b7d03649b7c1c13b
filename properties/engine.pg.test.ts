/** The engine on PostgreSQL: any contract, any history, the same rows as the reducer after every step. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { contract } from './arbitraries/contracts.ts'
import { contractWithHistory } from './arbitraries/rows.ts'
import { holds, patience } from './oracle/check.ts'
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
  it('AC-14: PostgreSQL holds what the reducer holds after every step', { timeout: patience(60, 300) }, () =>
    holds(
      fc.asyncProperty(contractWithHistory(contract()), (given) => runAndCompare(given, databases)),
      300,
      engineRegressions(),
    ),
  )
})
