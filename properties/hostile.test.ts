/** Hostile names and values, printed and executed on SQLite. */
import { afterAll, describe, it } from 'vitest'
import { openSqlite } from './oracle/databases.ts'
import { hostileNameCases, hostileValueCases } from './oracle/hostile.ts'
import { runAndCompare } from './oracle/run-and-compare.ts'

describe('hazard 16: hostile names and values on SQLite', () => {
  const sqlite = openSqlite()
  afterAll(sqlite.close)

  // Catches: a name that is not quoted, or not doubled, or that reads what every object inherits. runAndCompare throws on a difference.
  it.each(hostileNameCases)('hazard 16: a table, an index and columns named $name', (given) => runAndCompare(given, [sqlite]))

  // Catches: a value printed instead of bound, two texts policies, a default printed wrongly.
  it.each(hostileValueCases)('hazard 37: the text $name', (given) => runAndCompare(given, [sqlite]))
})
