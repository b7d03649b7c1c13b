import type { Contract } from '../contract.ts'
import { duplicatesIn, folded, isReservedBySqlite, MAX_NAME_BYTES, nameProblem } from './names.ts'
import type { Check } from './problem.ts'

/** An index whose name is taken is left out without an error: `CREATE INDEX IF NOT EXISTS` sees that something is there. */
export const checkIndexNames: Check = (contract) => {
  const names = contract.indexes.map(({ name }) => name)
  const parents = new Set(contract.foreignKeys.map(({ references }) => folded(references.table)))
  const ofConstraints = constraintIndexes(contract)
  return [
    ...names.flatMap((name) => {
      const problem = nameProblem(name)
      return problem === undefined ? [] : [{ reason: `an index cannot be named ${JSON.stringify(name)}: ${problem}` }]
    }),
    ...names
      .filter(isReservedBySqlite)
      .map((name) => ({ reason: `the index name ${JSON.stringify(name)} begins with sqlite_, which SQLite keeps for itself` })),
    ...duplicatesIn([contract.table, ...names]).map((name) => ({ reason: `the index name ${JSON.stringify(name)} is taken` })),
    ...names
      .filter((name) => parents.has(folded(name)))
      .map((name) => ({ reason: `the index name ${JSON.stringify(name)} is taken by a table that a foreign key refers to` })),
    ...names
      .filter((name) => ofConstraints.includes(name))
      .map((name) => ({
        reason: `the index name ${JSON.stringify(name)} is the one PostgreSQL gives to a constraint of this table`,
      })),
  ]
}

const NAME = new TextEncoder()
const bytesOf = (text: string): number => NAME.encode(text).length

/** The indexes PostgreSQL makes by itself: for PRIMARY KEY, and for the UNIQUE constraint of a key beside it. */
const constraintIndexes = ({ table, key }: Contract): readonly string[] => [
  generatedName(table, '', 'pkey'),
  // Named even where the key is the primary key today: the table may be older than that.
  generatedName(table, joined(key), 'key'),
]

/** Column names with `_` between; PostgreSQL stops after the first one that fills a name. */
const joined = (columns: readonly string[]): string => {
  let text = ''
  for (const name of columns) {
    if (bytesOf(text) > MAX_NAME_BYTES) break
    text += text === '' ? name : `_${name}`
  }
  return text
}

/** `table_columns_label` as PostgreSQL's makeObjectName builds it: the longer part is cut until 63 bytes hold the whole. */
const generatedName = (table: string, columns: string, label: string): string => {
  const room = MAX_NAME_BYTES - label.length - 1 - (columns === '' ? 0 : 1)
  let first = bytesOf(table)
  let second = bytesOf(columns)
  while (first + second > room) {
    if (first > second) first--
    else second--
  }
  return [clipped(table, first), ...(columns === '' ? [] : [clipped(columns, second)]), label].join('_')
}

/** The longest start of a text that fits: characters are never split. */
const clipped = (text: string, bytes: number): string => {
  let start = ''
  for (const character of text) {
    if (bytesOf(start + character) > bytes) break
    start += character
  }
  return start
}
