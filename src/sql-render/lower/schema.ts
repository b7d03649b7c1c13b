import { type Contract, columnOf } from '../../rules/index.ts'
import type { CreateIndex, CreateTable } from '../ast/index.ts'
import { typedColumns } from './columns.ts'

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, at) => name === b[at])

/** The table: NOT NULL where the contract says so (keys always), the key as PRIMARY KEY or as UNIQUE beside it. */
export const lowerTable = (contract: Contract): CreateTable => ({
  kind: 'createTable',
  table: contract.table,
  columns: typedColumns(contract).map(({ name, type }) => {
    const { nullable, default: initial } = columnOf(contract, name)
    return { name, type, nullable, ...(initial === undefined ? {} : { default: initial }) }
  }),
  primaryKey: contract.primaryKey,
  uniques: sameList(contract.primaryKey, contract.key) ? [] : [contract.key],
  foreignKeys: contract.foreignKeys,
})

/** The secondary indexes. */
export const lowerIndexes = (contract: Contract): readonly CreateIndex[] =>
  contract.indexes.map(({ name, columns }) => ({ kind: 'createIndex', name, table: contract.table, columns }))
