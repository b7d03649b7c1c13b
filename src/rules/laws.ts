import type { Column } from './columns.ts'
import type { Contract } from './contract.ts'
import type { PlainKind, Rule, RuleKind } from './kinds/index.ts'
import { columnOf } from './normalise.ts'

/**
 * What may be true of a merge. With s any stored row or none, and a, b any incoming rows of its key:
 *
 * - `idempotent`: s, a, a leaves what s, a leaves.
 * - `lateReplaySafe`: s, a, b, a leaves what s, a, b leaves.
 * - `commutative`: s, a, b leaves what s, b, a leaves.
 * - `foldable`: merging a and b in memory and then writing once leaves what s, a, b leaves (associativity).
 */
export const LAWS = ['idempotent', 'lateReplaySafe', 'commutative', 'foldable'] as const
export type Law = (typeof LAWS)[number]

/** The laws each rule claims. Every claim has a property; every law that is not claimed has a stored counterexample. */
export const CLAIMS: Record<Exclude<RuleKind, 'frozenBy'>, readonly Law[]> = {
  key: LAWS,
  writeOnce: ['idempotent', 'lateReplaySafe', 'foldable'],
  firstNonNull: ['idempotent', 'lateReplaySafe', 'foldable'],
  lastNonNull: ['idempotent', 'foldable'],
  lastValue: ['idempotent', 'foldable'],
  touch: LAWS,
  boolOr: LAWS,
}

/** Whether a guard that is set stays set, in whatever order rows arrive. Only then is a value that was frozen once frozen for good. */
const STAYS_SET: Record<PlainKind | 'key', boolean> = {
  key: true,
  writeOnce: true,
  firstNonNull: true,
  lastNonNull: true,
  touch: true,
  boolOr: true,
  lastValue: false,
}

/**
 * Whether a guard that is not set takes the value of every row that carries one. Only then does a fold see the guard that single
 * statements see: a `writeOnce` guard misses what came after the creating row, a frozen one what came after its own guard.
 */
const TAKES_EVERY_VALUE: Record<RuleKind, boolean> = {
  key: true,
  firstNonNull: true,
  lastNonNull: true,
  touch: true,
  boolOr: true,
  lastValue: true,
  writeOnce: false,
  frozenBy: false,
}

const staysSet = (guard: Rule): boolean => STAYS_SET[guard.kind === 'frozenBy' ? guard.rule.kind : guard.kind]

/** What survives freezing. Never order: whoever comes before the guard is kept. A key is always set, so all that it guards is write-once. */
const lawsOfFrozen = (inner: PlainKind, guard: Rule): readonly Law[] => {
  if (guard.kind === 'key') return CLAIMS.writeOnce
  if (!staysSet(guard)) return []
  return CLAIMS[inner].filter((law) => law !== 'commutative' && (law !== 'foldable' || TAKES_EVERY_VALUE[guard.kind]))
}

const lawsOfColumn = (contract: Contract, column: Column): readonly Law[] =>
  column.rule.kind === 'frozenBy'
    ? lawsOfFrozen(column.rule.rule.kind, columnOf(contract, column.rule.guard).rule)
    : CLAIMS[column.rule.kind]

export interface ContractLaws {
  readonly table: string
  readonly columns: Readonly<Record<string, readonly Law[]>>
  /** The laws of the whole row: those that every column has. */
  readonly contract: readonly Law[]
}

/**
 * The laws of a contract, derived from its rules, per column and as a whole.
 *
 * Use it before folding rows in memory: that is correct only where `contract` holds `foldable`.
 */
export const lawsOf = (contract: Contract): ContractLaws => {
  const columns = Object.entries(contract.columns).map(([name, column]) => [name, lawsOfColumn(contract, column)] as const)
  return {
    table: contract.table,
    columns: Object.fromEntries(columns),
    contract: LAWS.filter((law) => columns.every(([, laws]) => laws.includes(law))),
  }
}
