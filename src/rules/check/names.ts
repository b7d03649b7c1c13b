import type { Check } from './problem.ts'

/** Words that the statements themselves use for rows; a table or column list with these names would read as something else. */
const PSEUDO_TABLES: ReadonlySet<string> = new Set(['excluded', 'stored', 'new', 'old'])

/** PostgreSQL gives every table these columns; SQLite's names for the row id hide it. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** PostgreSQL cuts longer names without an error, and two of them may become one. */
export const MAX_NAME_BYTES = 63

/** PostgreSQL's, for a table; SQLite takes 2000. https://www.postgresql.org/docs/current/limits.html */
const MAX_COLUMNS = 1600

// ASCII only: that is how SQLite folds names, quoted ones included.
export const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export const nameProblem = (name: string): string | undefined => {
  if (name === '') return 'the name is empty'
  if (name.includes('\0') || !name.isWellFormed()) return 'the name holds U+0000 or a lone surrogate, which no database can store'
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES)
    return `the name is longer than ${MAX_NAME_BYTES} bytes, and PostgreSQL would cut it`
  return undefined
}

export const isReservedBySqlite = (name: string): boolean => folded(name).startsWith('sqlite_')

export const duplicatesIn = (names: readonly string[]): readonly string[] => {
  const seen = new Set<string>()
  return names.filter((name) => seen.size === seen.add(folded(name)).size)
}

export const checkTable: Check = ({ table }) => {
  const problem = nameProblem(table)
  if (problem !== undefined) return [{ reason: `the table cannot be named ${JSON.stringify(table)}: ${problem}` }]
  if (PSEUDO_TABLES.has(folded(table))) return [{ reason: `a table cannot be named like the pseudo-table ${folded(table)}` }]
  if (isReservedBySqlite(table)) return [{ reason: 'SQLite keeps names that begin with sqlite_ for itself' }]
  if (table.startsWith('pg_')) return [{ reason: "PostgreSQL's own tables begin with pg_ and are found before any other" }]
  return []
}

export const checkColumnNames: Check = (contract) => {
  const names = Object.keys(contract.columns)
  return [
    ...(names.length === 0 ? [{ reason: 'the contract has no columns' }] : []),
    ...(names.length > MAX_COLUMNS
      ? [{ reason: `the contract has ${names.length} columns, and a table of PostgreSQL at most ${MAX_COLUMNS}` }]
      : []),
    ...names.flatMap((column) => {
      const problem = nameProblem(column)
      return problem === undefined ? [] : [{ column, reason: problem }]
    }),
    ...names
      .filter((name) => SYSTEM_COLUMNS.has(folded(name)))
      .map((column) => ({ column, reason: 'PostgreSQL has a system column of this name' })),
    ...duplicatesIn(names).map((column) => ({
      column,
      reason: 'duplicate name: SQLite does not tell upper from lower case in names',
    })),
  ]
}
