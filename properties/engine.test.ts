/** The engine, not only our table: any contract, any history, the reducer and the database hold the same rows after every step. */
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { contract } from './arbitraries/contracts.ts'
import { contractWithHistory } from './arbitraries/rows.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { openSqlite } from './oracle/databases.ts'
import { runAndCompare } from './oracle/run-and-compare.ts'
import { engineRegressions } from './regressions/index.ts'

describe('AC-14: random contracts, random histories', () => {
  const sqlite = openSqlite()
  afterAll(sqlite.close)

  // Catches: any rule lowered wrongly, any name or value quoted or bound wrongly, a DEFAULT that leaks through `excluded`.
  it('AC-14: SQLite holds what the reducer holds after every step', { timeout: patience(60, 1_000) }, () =>
    assertHolds(
      fc.asyncProperty(contractWithHistory(contract()), (given) => runAndCompare(given, [sqlite])),
      1_000,
      engineRegressions(),
    ),
  )
})
