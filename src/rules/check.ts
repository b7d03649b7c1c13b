import { storableText } from '../util/text.ts'
import type { Column } from './columns.ts'
import type { Contract } from './contract.ts'
import type { RuleKind } from './kinds/index.ts'

/** Why a contract cannot work. */
export interface Problem {
  readonly column?: string
  readonly reason: string
}

type Check = (contract: Contract) => readonly Problem[]

/** Every reason why this contract cannot work, most basic first. */
export const checkContract = (contract: Contract): readonly Problem[] => CHECKS.flatMap((check) => check(contract))

const columnsOf = (contract: Contract): readonly (readonly [string, Column])[] => Object.entries(contract.columns)

/** Words that the statements themselves use for rows; a table or column list with these names would read as something else. */
const PSEUDO_TABLES: ReadonlySet<string> = new Set(['excluded', 'stored', 'new', 'old'])

/** PostgreSQL gives every table these columns; SQLite's names for the row id hide it. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

/** PostgreSQL cuts longer names without an error, and two of them may become one. */
const MAX_NAME_BYTES = 63

// ASCII only: that is how SQLite folds names, quoted ones included.
const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const nameProblem = (name: string): string | undefined => {
  if (typeof name !== 'string' || name === '') return 'the name is empty'
  if (name.includes('\0') || !name.isWellFormed()) return 'the name holds U+0000 or a lone surrogate, which no database can store'
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES)
    return `the name is longer than ${MAX_NAME_BYTES} bytes, and PostgreSQL would cut it`
  return undefined
}

const duplicatesIn = (names: readonly string[]): readonly string[] =>
  names.filter((name, at) => names.findIndex((other) => folded(other) === folded(name)) !== at)

const checkTable: Check = ({ table }) => {
  const problem = nameProblem(table)
  if (problem !== undefined) return [{ reason: `the table cannot be named ${JSON.stringify(table)}: ${problem}` }]
  if (PSEUDO_TABLES.has(folded(table))) return [{ reason: `a table cannot be named like the pseudo-table ${folded(table)}` }]
  if (folded(table).startsWith('sqlite_')) return [{ reason: 'SQLite keeps names that begin with sqlite_ for itself' }]
  if (table.startsWith('pg_')) return [{ reason: "PostgreSQL's own tables begin with pg_ and are found before any other" }]
  return []
}

const checkColumnNames: Check = (contract) => {
  const names = Object.keys(contract.columns)
  return [
    ...(names.length === 0 ? [{ reason: 'the contract has no columns' }] : []),
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

const checkKey: Check = (contract) => {
  const { key, columns } = contract
  if (key.length === 0) return [{ reason: 'the contract has no key: name at least one column, or every row would be a new one' }]
  return [
    ...duplicatesIn(key).map((column) => ({ column, reason: 'named twice in key' })),
    ...key.flatMap((column) => {
      const rule = Object.hasOwn(columns, column) ? columns[column]?.rule.kind : undefined
      if (rule === undefined) return [{ column, reason: 'named in key, but there is no such column' }]
      return rule === 'key' ? [] : [{ column, reason: `named in key, but its rule is ${rule}: give it the rule key()` }]
    }),
    ...columnsOf(contract)
      .filter(([name, column]) => column.rule.kind === 'key' && !key.includes(name))
      .map(([column]) => ({ column, reason: 'has the rule key() but is not named in key' })),
    ...columnsOf(contract).flatMap(([name, column]) => keyColumnProblem(name, column)),
  ]
}

const keyColumnProblem = (name: string, column: Column): readonly Problem[] => {
  if (column.rule.kind !== 'key') return []
  if (column.nullable)
    return [
      { column: name, reason: 'a key column cannot be nullable: NULL never conflicts, and duplicates would pile up (hazard 9)' },
    ]
  if (column.type === 'instant')
    return [
      {
        column: name,
        reason: 'an instant cannot be a key: one instant has many spellings, and a unique index compares spellings',
      },
    ]
  const { absentAs } = column.rule
  if (absentAs === undefined) return []
  if (column.type !== 'text') return [{ column: name, reason: `absentAs is a text, but the column is ${column.type}` }]
  return absentAs === '' || column.absent.some((rule) => typeof rule === 'object' && rule.marker === absentAs)
    ? [{ column: name, reason: `the sentinel ${JSON.stringify(absentAs)} would itself be absent` }]
    : []
}

/** Which types a rule can merge; every other pair is refused. */
const RULE_TYPES = {
  key: ['text', 'int64', 'bool', 'instant'],
  writeOnce: ['text', 'int64', 'bool', 'instant'],
  firstNonNull: ['text', 'int64', 'bool', 'instant'],
  lastNonNull: ['text', 'int64', 'bool', 'instant'],
  lastValue: ['text', 'int64', 'bool', 'instant'],
  touch: ['instant'],
  boolOr: ['bool'],
  frozenBy: ['text', 'int64', 'bool', 'instant'],
} satisfies Record<RuleKind, readonly Column['type'][]>

const checkRules: Check = (contract) =>
  columnsOf(contract).flatMap(([name, { type, rule }]) => {
    const rules = rule.kind === 'frozenBy' ? [rule, rule.rule] : [rule]
    return rules.flatMap(({ kind }): readonly Problem[] => {
      const types: readonly Column['type'][] | undefined = Object.hasOwn(RULE_TYPES, kind) ? RULE_TYPES[kind] : undefined
      if (types === undefined) return [{ column: name, reason: `there is no rule ${JSON.stringify(kind)}` }]
      return types.includes(type)
        ? []
        : [{ column: name, reason: `the rule ${kind} is for ${types.join(', ')}, not for ${type}` }]
    })
  })

const checkGuards: Check = (contract) =>
  columnsOf(contract).flatMap(([name, { rule }]): readonly Problem[] => {
    if (rule.kind !== 'frozenBy') return []
    const inner: string = rule.rule.kind // a contract written without types may hold anything
    if (inner === 'frozenBy' || inner === 'key') return [{ column: name, reason: `frozenBy cannot hold the rule ${inner}` }]
    if (rule.guard === name) return [{ column: name, reason: 'guards itself' }]
    if (!Object.hasOwn(contract.columns, rule.guard))
      return [{ column: name, reason: `its guard ${JSON.stringify(rule.guard)} is no column of this table` }]
    const cycle = guardCycle(contract, name)
    return cycle === undefined ? [] : [{ column: name, reason: `guards form a cycle: ${cycle.join(' → ')}` }]
  })

const guardCycle = (contract: Contract, start: string): readonly string[] | undefined => {
  const path = [start]
  for (;;) {
    const rule = contract.columns[path.at(-1) ?? start]?.rule
    if (rule?.kind !== 'frozenBy') return undefined
    path.push(rule.guard)
    if (rule.guard === start) return path
    if (path.indexOf(rule.guard) !== path.length - 1) return undefined // a cycle further on: reported for its own members
  }
}

/** U+0000 and lone surrogates become U+FFFD in every text that arrives, so a declared text that holds one could never be met. */
const checkTexts: Check = (contract) =>
  columnsOf(contract).flatMap(([name, column]) => {
    const declared: readonly (readonly [string, unknown])[] = [
      ['default', column.default],
      ['sentinel', column.rule.kind === 'key' ? column.rule.absentAs : undefined],
      ...column.absent.map((rule) => ['marker', typeof rule === 'object' ? rule.marker : undefined] as const),
    ]
    return declared
      .filter(([, text]) => typeof text === 'string' && text !== storableText(text))
      .map(([what, text]) => ({
        column: name,
        reason: `the ${what} ${JSON.stringify(text)} holds U+0000 or a lone surrogate, which no database can store`,
      }))
  })

const ABSENCES = { text: ['empty'], int64: ['zero', 'negative'], bool: [], instant: [] } satisfies Record<
  Column['type'],
  readonly string[]
>

const checkAbsence: Check = (contract) =>
  columnsOf(contract).flatMap(([name, column]) =>
    column.absent.flatMap((rule): readonly Problem[] => {
      const allowed: readonly string[] = ABSENCES[column.type] ?? []
      if (typeof rule === 'string') {
        return allowed.includes(rule)
          ? []
          : [{ column: name, reason: `the absent-rule ${rule} does not fit the type ${column.type}` }]
      }
      return column.type === 'text' && typeof rule.marker === 'string'
        ? []
        : [{ column: name, reason: `a marker is a text and needs a text column, not ${column.type}` }]
    }),
  )

/** Rules under which a default can reach a new row only: elsewhere `excluded` would carry it over a stored value (hazard 2). */
const DEFAULT_IS_SAFE: ReadonlySet<RuleKind> = new Set<RuleKind>(['writeOnce', 'firstNonNull', 'boolOr'])

/** What `typeof` says of a default; int64 and instant have none. */
const DEFAULT_TYPES = { text: 'string', bool: 'boolean', int64: undefined, instant: undefined } satisfies Record<
  Column['type'],
  string | undefined
>

const checkDefaults: Check = (contract) =>
  columnsOf(contract).flatMap(([name, column]): readonly Problem[] => {
    if (column.default === undefined) return []
    const sent: string = typeof column.default
    if (sent !== DEFAULT_TYPES[column.type])
      return [{ column: name, reason: `a default that is a ${sent} does not fit ${column.type}` }]
    if (column.nullable) return [{ column: name, reason: 'a nullable column cannot have a DEFAULT: absent is NULL (hazard 2)' }]
    if (!DEFAULT_IS_SAFE.has(column.rule.kind))
      return [{ column: name, reason: `a DEFAULT would overwrite stored values under the rule ${column.rule.kind} (hazard 2)` }]
    return column.rule.kind === 'boolOr' && column.default === true
      ? [{ column: name, reason: 'a boolOr column with the default true could never be false' }]
      : []
  })

const checkReferences: Check = (contract) => {
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ['primaryKey', contract.primaryKey],
    ['readOrder', contract.readOrder],
    ...contract.indexes.map((index) => [`index ${index.name}`, index.columns] as const),
    ...contract.foreignKeys.map((foreign) => [`foreign key to ${foreign.references.table}`, foreign.columns] as const),
  ]
  return [
    ...groups.flatMap(([what, names]) => [
      ...(names.length === 0 ? [{ reason: `${what} names no column` }] : []),
      ...duplicatesIn(names).map((column) => ({ column, reason: `named twice in ${what}` })),
      ...names
        .filter((name) => !Object.hasOwn(contract.columns, name))
        .map((column) => ({ column, reason: `named in ${what}, but there is no such column` })),
    ]),
    ...contract.primaryKey
      .filter((name) => contract.columns[name]?.nullable === true)
      .map((column) => ({ column, reason: 'a primary key column cannot be nullable' })),
    ...indexNameProblems(contract),
  ]
}

const indexNameProblems = (contract: Contract): readonly Problem[] => {
  const names = contract.indexes.map((index) => index.name)
  return [
    ...names.flatMap((name) => {
      const problem = nameProblem(name)
      return problem === undefined ? [] : [{ reason: `an index cannot be named ${JSON.stringify(name)}: ${problem}` }]
    }),
    ...duplicatesIn([contract.table, ...names]).map((name) => ({ reason: `the index name ${JSON.stringify(name)} is taken` })),
    ...names
      .filter((name) => name.startsWith(`${contract.table}_`) && /_(pkey|key)$/.test(name))
      .map((name) => ({
        reason: `the index name ${JSON.stringify(name)} may be one PostgreSQL gives to a constraint of this table`,
      })),
  ]
}

const CHECKS: readonly Check[] = [
  checkTable,
  checkColumnNames,
  checkKey,
  checkRules,
  checkGuards,
  checkTexts,
  checkAbsence,
  checkDefaults,
  checkReferences,
]
