import { subagentContexts } from './contract.ts'
import { isPredecessorKey, isUnusableKey } from './end-state.ts'
import type { ObservedTable } from './observe.ts'
import { refusal } from './refusal.ts'

const contract = subagentContexts

/**
 * Refuses a SQLite table with parts that its new form would not have, naming the first (nothing is lost silently).
 *
 * Kept are: rows, columns the host added, its plain indexes and its triggers. What else a CREATE TABLE can say is in its text alone.
 */
export const refuseWhatWouldBeLost = (table: ObservedTable): void => {
  const [found] = [...lossesOf(table)]
  if (found !== undefined) throw refusal(table, found, 'Remove it and start again, or upgrade by hand as sql/ shows it.')
}

function* lossesOf(table: ObservedTable): Generator<string> {
  for (const { name, type, generated } of table.columns) {
    if (generated) yield `column ${name} is generated`
    if (!(name in contract.columns) && !PLAIN_TYPE.test(type)) yield `column ${name} has the type ${JSON.stringify(type)}`
  }
  const primaryKey = table.columns.filter(({ primaryKey }) => primaryKey > 0).map(({ name }) => name)
  if (!sameSet(primaryKey, contract.primaryKey)) yield `its primary key is (${primaryKey.join(', ')})`
  for (const index of table.indexes) {
    const isOurs = isPredecessorKey(index) || isUnusableKey(index) || sameSet(index.columns, contract.key)
    if (index.kind === 'constraint' && !isOurs) yield `it has UNIQUE (${index.columns.join(', ')})`
  }
  for (const { columns, references } of table.foreignKeys) {
    const isOurs = contract.foreignKeys.some((own) => sameSet(own.columns, columns) && own.references.table === references)
    if (!isOurs) yield `it has a foreign key of (${columns.join(', ')}) to ${references}`
  }
  for (const { by, columns } of table.referencedBy) {
    const targets = columns.filter((name) => name !== null)
    if (targets.length > 0 && !sameSet(targets, contract.primaryKey)) yield `${by} refers to its (${targets.join(', ')})`
  }
  for (const { name, mode } of table.triggers) if (mode === 'temporary') yield `it has the temporary trigger ${name}`
  const [word] = WORDS.filter((candidate) => wordsOf(table.sql ?? '').has(candidate))
  if (word !== undefined) yield `its declaration says ${word}`
}

const PLAIN_TYPE = /^[A-Za-z_0-9 ]*(\([-+0-9 ,]*\))?$/

/** What only the text tells. */
const WORDS = ['CHECK', 'COLLATE', 'CONFLICT', 'DEFERRABLE', 'GENERATED', 'STRICT', 'WITHOUT']

/** Comments, texts and quoted names, in which such a word means nothing. */
const QUOTED = /--[^\n]*|\/\*[\s\S]*?(\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/g

const wordsOf = (sql: string): ReadonlySet<string> =>
  new Set(
    sql
      .replaceAll(QUOTED, ' ')
      .toUpperCase()
      .match(/[A-Z_]+/g) ?? [],
  )

const sameSet = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && b.every((name) => a.includes(name))
