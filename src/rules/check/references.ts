import type { Contract, ForeignKey } from '../contract.ts'
import { duplicatesIn, folded, nameProblem } from './names.ts'
import type { Check, Problem } from './problem.ts'

/** PostgreSQL's, for a key, an index or a foreign key. https://www.postgresql.org/docs/current/limits.html */
const MAX_KEY_COLUMNS = 32

/** Every list of this table's own columns: each names some, none twice, and only columns there are. */
export const checkColumnLists: Check = (contract) => {
  const indexed: readonly (readonly [string, readonly string[]])[] = [
    ['key', contract.key],
    ['primaryKey', contract.primaryKey],
    ...contract.indexes.map(({ name, columns }) => [`index ${name}`, columns] as const),
    ...contract.foreignKeys.map((foreign) => [`${titleOf(foreign)}`, foreign.columns] as const),
  ]
  return [
    ...indexed
      .filter(([, names]) => names.length > MAX_KEY_COLUMNS)
      .map(([what, names]) => ({
        reason: `${what} names ${names.length} columns, and PostgreSQL takes at most ${MAX_KEY_COLUMNS}`,
      })),
    ...[...indexed, ['readOrder', contract.readOrder] as const].flatMap(([what, names]) => [
      ...(names.length === 0 ? [{ reason: `${what} names no column` }] : []),
      ...duplicatesIn(names).map((column) => ({ column, reason: `named twice in ${what}` })),
      ...names
        .filter((name) => !Object.hasOwn(contract.columns, name))
        .map((column) => ({ column, reason: `named in ${what}, but there is no such column` })),
    ]),
    ...contract.primaryKey
      .filter((name) => contract.columns[name]?.nullable === true)
      .map((column) => ({ column, reason: 'a primary key column cannot be nullable' })),
  ]
}

const titleOf = ({ references }: ForeignKey): string => `foreign key to ${references.table}`

export const checkForeignKeys: Check = (contract) =>
  contract.foreignKeys.flatMap((foreign): readonly Problem[] => {
    const { table, columns } = foreign.references
    // What is wrong belongs to the first of this table's columns: that is where a reader looks for it.
    const [column = ''] = foreign.columns
    const blame = (reason: string): Problem => ({ column, reason: `${titleOf(foreign)}: ${reason}` })
    const tableProblem = nameProblem(table)
    if (tableProblem !== undefined) return [blame(`it refers to a table ${JSON.stringify(table)}: ${tableProblem}`)]
    const named = columns.map((name) => [name, nameProblem(name)] as const).find(([, problem]) => problem !== undefined)
    if (named !== undefined) return [blame(`it refers to a column ${JSON.stringify(named[0])}: ${named[1]}`)]
    if (columns.length !== foreign.columns.length)
      return [blame(`${foreign.columns.length} columns refer to ${columns.length}: each needs one of its own`)]
    const [twice] = duplicatesIn(columns)
    if (twice !== undefined) return [blame(`it refers to the column ${JSON.stringify(twice)} twice`)]
    return folded(table) === folded(contract.table) ? selfReferenceProblems(contract, foreign).map(blame) : []
  })

/** A table that refers to itself can be checked whole: names, uniqueness and types. */
const selfReferenceProblems = (contract: Contract, { columns, references }: ForeignKey): readonly string[] => {
  if (references.table !== contract.table)
    return [`only the case tells ${references.table} from ${contract.table}, and SQLite takes them for one table`]
  const missing = references.columns.find((name) => !Object.hasOwn(contract.columns, name))
  if (missing !== undefined) return [`this table has no column ${JSON.stringify(missing)}`]
  if (![contract.key, contract.primaryKey].some((unique) => isSameSet(unique, references.columns)))
    return [`(${references.columns.join(', ')}) is neither the key nor the primary key, so it is not unique`]
  return columns.flatMap((name, at) => {
    const target = references.columns[at] ?? ''
    const [from, to] = [contract.columns[name]?.type, contract.columns[target]?.type]
    return from === undefined || from === to ? [] : [`${name} is ${from}, but ${target} is ${to}`]
  })
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name))
