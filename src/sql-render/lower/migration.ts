import { type Contract, columnOf } from '../../rules/index.ts'
import type { Change, CopiedColumn, ForeignColumn, Migration } from '../ast/migration.ts'
import { lowerTable } from './schema.ts'

/** A statement and what it does, for errors and logs. */
export interface Named<S> {
  readonly name: string
  readonly statement: S
}
const named = (name: string, statement: Migration): Named<Migration> => ({ name, statement })

/** A key column's sentinel: what stands for "not reported" in a row that has to have a key. */
const sentinelOf = (contract: Contract, name: string): string | undefined => {
  const { rule } = columnOf(contract, name)
  return rule.kind === 'key' ? rule.absentAs : undefined
}

const copied = (contract: Contract, names: readonly string[]): readonly CopiedColumn[] =>
  names.map((name) => {
    const absentAs = name in contract.columns ? sentinelOf(contract, name) : undefined
    return absentAs === undefined ? { name } : { name, absentAs }
  })

/** Keys that more than one stored row would have; `missing` key columns are not there yet and will hold their sentinel. */
export const lowerDuplicates = (contract: Contract, missing: readonly string[]): Migration => ({
  kind: 'duplicates',
  table: contract.table,
  columns: copied(contract, contract.key),
  missing,
})

export interface Rebuild {
  /** The columns of the table as it stands. */
  readonly columns: readonly string[]
  /** Those of them that are none of the contract's. */
  readonly extra: readonly ForeignColumn[]
  readonly stage: string
}

/**
 * Makes the table anew where a constraint cannot be altered: its rows are staged, the table is dropped and created as in a fresh
 * database, and the rows come back in their order. Two copies instead of a rename, which would rewrite what refers to the table.
 *
 * `lost` counts the staged rows that did not come back value for value; it must be 0 before the stage is dropped.
 */
export const lowerRebuild = (contract: Contract, { columns, extra, stage }: Rebuild) => {
  const absent = contract.key.filter((name) => !columns.includes(name))
  const back = copied(contract, [...columns, ...absent])
  const same = columns.filter((name) => !(name in contract.columns) || sentinelOf(contract, name) === undefined)
  return {
    before: [
      named('drop a stage left over', { kind: 'dropStage', stage }),
      named('create the stage', { kind: 'createStage', stage, columns: [...columns, ...absent] }),
      named('stage the rows', { kind: 'fillStage', stage, from: contract.table, columns }),
      named('drop the old table', { kind: 'dropTable', table: contract.table }),
      named('create the table', { kind: 'recreateTable', create: lowerTable(contract), extra }),
      named('copy the rows back', { kind: 'copyStage', stage, to: contract.table, columns: back }),
    ],
    lost: { kind: 'countLost', stage, table: contract.table, columns: same } as const satisfies Migration,
    after: [named('drop the stage', { kind: 'dropStage', stage })],
  }
}

export interface KeyChange {
  /** The column of the key that is not there yet, or that may hold NULL or the empty text. */
  readonly column: { readonly name: string; readonly state: 'missing' | 'nullable' | 'ready' }
  readonly dropConstraints: readonly string[]
  readonly dropIndexes: readonly { readonly schema: string; readonly name: string }[]
  readonly addUnique: boolean
  /** Triggers that would fire for the rows that get the sentinel, and how they come back. */
  readonly triggers: readonly { readonly name: string; readonly always: boolean }[]
}

/** Changes the key in place, in the order in which every statement can succeed. */
export const lowerKeyChange = (contract: Contract, change: KeyChange): readonly Named<Migration>[] => {
  const alter = (name: string, ...changes: readonly Change[]): Named<Migration> =>
    named(name, { kind: 'alterTable', table: contract.table, changes })
  return [
    ...lowerColumn(contract, change, alter),
    ...change.dropConstraints.map((name) => alter(`drop constraint ${name}`, { kind: 'dropConstraint', name })),
    ...change.dropIndexes.map(({ schema, name }) => named(`drop index ${name}`, { kind: 'dropIndex', schema, name })),
    ...(change.addUnique ? [alter('add the key', { kind: 'addUnique', columns: contract.key })] : []),
  ]
}

const lowerColumn = (
  contract: Contract,
  { column: { name, state }, triggers }: KeyChange,
  alter: (name: string, ...changes: readonly Change[]) => Named<Migration>,
): readonly Named<Migration>[] => {
  const value = sentinelOf(contract, name) ?? ''
  switch (state) {
    case 'ready':
      return []
    case 'missing':
      return [
        alter(`add ${name}`, { kind: 'addColumn', column: { name, type: 'text', nullable: false, default: value } }),
        alter(`drop the default of ${name}`, { kind: 'dropDefault', column: name }),
      ]
    case 'nullable': {
      const all = (mode: (always: boolean) => 'disable' | 'enable' | 'always'): readonly Change[] =>
        triggers.map((trigger) => ({ kind: 'trigger', name: trigger.name, mode: mode(trigger.always) }))
      return [
        ...(triggers.length === 0 ? [] : [alter('silence the triggers', ...all(() => 'disable'))]),
        named(`fill ${name}`, { kind: 'fillColumn', table: contract.table, column: name, value }),
        ...(triggers.length === 0 ? [] : [alter('restore the triggers', ...all((always) => (always ? 'always' : 'enable')))]),
        alter(`make ${name} NOT NULL`, { kind: 'setNotNull', column: name }),
      ]
    }
  }
}

/** Widens integer columns to the contract's 64 bits. */
export const lowerWiden = (contract: Contract, columns: readonly string[]): Migration => ({
  kind: 'alterTable',
  table: contract.table,
  changes: columns.map((column) => ({ kind: 'setType', column, type: 'int64' })),
})
