import type { Index } from '../rules/index.ts'
import { subagentContexts } from './contract.ts'
import type { ObservedIndex, ObservedTable } from './observe.ts'

const contract = subagentContexts
export const EXECUTION_COLUMN = 'agent_execution_id'
/** The key of the predecessor: without the execution (Amendment 1). */
export const PREDECESSOR_KEY = contract.key.filter((name) => name !== EXECUTION_COLUMN)
/** The contract's counts, which PostgreSQL once stored in four bytes. */
export const METRICS = Object.entries(contract.columns).flatMap(([name, { type }]) => (type === 'int64' ? [name] : []))

/** AC-33's key-bearing clauses, as observed: the schema facts that make `agent_execution_id` an identity (AC-33b). */
export interface EndState {
  /** Clause 1: `agent_execution_id` is there and NOT NULL. */
  readonly executionColumn: boolean
  /** Clause 2: UNIQUE over the three key columns, in the contract's order, and usable as the upsert's conflict target. */
  readonly key: boolean
  /** Clause 3: no UNIQUE over the predecessor's two columns is left, in whatever order and form. */
  readonly noPredecessorKey: boolean
}

export const endStateOf = (table: ObservedTable): EndState => ({
  executionColumn: table.columns.some(({ name, notNull }) => name === EXECUTION_COLUMN && notNull),
  key: table.indexes.some(isKey) && !table.indexes.some(isUnusableKey),
  noPredecessorKey: !table.indexes.some(isPredecessorKey),
})

export const holds = (state: EndState): boolean => state.executionColumn && state.key && state.noPredecessorKey

const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((name, at) => name === b[at])
const sameSet = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && b.every((name) => a.includes(name))

/** The order is part of the key's contract: the session leads, so that its reads can use the index. */
const isKey = (index: ObservedIndex): boolean => isUnique(index) && index.infers && sameList(index.columns, contract.key)

/** A partial index, or one over an expression, is no such constraint: it is the host's own, and stays. */
const isUnique = (index: ObservedIndex): boolean => index.unique && index.whole

export const isPredecessorKey = (index: ObservedIndex): boolean => isUnique(index) && sameSet(index.columns, PREDECESSOR_KEY)

/**
 * A constraint over the key columns that no ON CONFLICT can use (deferrable, another collation).
 *
 * In PostgreSQL its presence alone makes the upsert fail, even beside a usable one.
 */
export const isUnusableKey = (index: ObservedIndex): boolean =>
  isUnique(index) && index.kind === 'constraint' && !index.infers && sameSet(index.columns, contract.key)

/** The contract's indexes that are not there as the contract has them (AC-33 clause 4). */
export const missingIndexesOf = (table: ObservedTable): readonly Index[] =>
  contract.indexes.filter(({ name, columns }) => !table.indexes.some((index) => index.name === name && isIndexOf(index, columns)))

const isIndexOf = (index: ObservedIndex, columns: readonly string[]): boolean =>
  index.whole && !index.unique && sameList(index.columns, columns)

/** Metrics that PostgreSQL stores in four bytes or fewer; a larger count would be refused. */
export const narrowMetricsOf = (table: ObservedTable): readonly string[] =>
  table.columns.flatMap(({ name, narrow }) => (narrow && METRICS.includes(name) ? [name] : []))
