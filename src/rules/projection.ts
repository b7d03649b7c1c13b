import { MergelawError } from '../errors/index.ts'
import { deepFreeze } from '../util/deep-freeze.ts'
import type { Contract } from './contract.ts'
import { columnOf } from './normalise.ts'

/**
 * Where a column's value comes from. Its type, and when a value means "not reported", are the target column's own: a text is a JSON
 * string, an int64 a JSON number written as an integer, a bool JSON true or false; whatever else stands there is absent.
 */
export type Origin =
  /** The source row's own column; of several the first that is not absent. */
  | { readonly kind: 'source'; readonly columns: readonly string[] }
  /** A member of the source row's JSON document, by names from the top. */
  | { readonly kind: 'json'; readonly path: readonly string[] }
  | { readonly kind: 'constant'; readonly value: string }
  /** A new random UUID for each row. */
  | { readonly kind: 'uuid' }
  /** The inner origin where another target column holds one of these texts, else absent. */
  | { readonly kind: 'when'; readonly column: string; readonly isOneOf: readonly string[]; readonly from: Origin }

/** How the rows of a contract's table are derived from the rows of another one: frozen plain data. */
export interface Projection {
  /** The source table. */
  readonly table: string
  /** The source row's own id: the last tiebreak. */
  readonly id: string
  /** The text column with the JSON document. Any text may stand in it. */
  readonly document: string
  /** Which documents qualify: the text at this path is this one. Letters and `_` only. */
  readonly kind: { readonly path: readonly string[]; readonly equals: string }
  readonly columns: Readonly<Record<string, Origin>>
  /** Target columns without which there is no row. */
  readonly identity: readonly string[]
  /** The target column with the source row's instant: unreadable means no row; the newest of one key wins. */
  readonly at: string
}

/** Why a source row yields no row of its own. */
export const SKIP_REASONS = ['unreadable', 'other-kind', 'no-identity', 'no-instant', 'orphan', 'superseded'] as const
/**
 * - `unreadable`: the document is no JSON, or nests deeper than the database reads
 * - `other-kind`: it is JSON, and about something else
 * - `no-identity`: an identity is no non-empty text
 * - `no-instant`: the source row's instant is none
 * - `orphan`: the parent row is gone
 * - `superseded`: a newer source row holds the same key
 */
export type SkipReason = (typeof SKIP_REASONS)[number]

/**
 * Declares a projection onto a contract. Throws MergelawError `contract` naming the column for one that cannot work: a target column
 * without origin, an origin for a column that does not exist, a chain of `when`, a kind that no text search can find.
 */
export const defineProjection = (contract: Contract, projection: Projection): Projection => {
  const problem = problemOf(contract, projection)
  if (problem === undefined) return deepFreeze(structuredClone(projection))
  throw new MergelawError('contract', `Projection of ${projection.table} onto ${contract.table}: ${problem}`, {
    details: { table: contract.table, source: projection.table },
  })
}

const problemOf = (contract: Contract, { columns, identity, at, kind }: Projection): string | undefined => {
  const missing = Object.keys(contract.columns).find((name) => !Object.hasOwn(columns, name))
  if (missing !== undefined) return `${missing} has no origin`
  const unknown = [...Object.keys(columns), ...identity, at].find((name) => !Object.hasOwn(contract.columns, name))
  if (unknown !== undefined) return `${unknown} is no column of the contract`
  if (columnOf(contract, at).type !== 'instant') return `${at} is no instant`
  if (!/^[A-Za-z_]+$/.test(kind.equals)) return `kind ${JSON.stringify(kind.equals)} must be letters and _`
  const chained = Object.entries(columns).find(([, origin]) => origin.kind === 'when' && isDerived(columns[origin.column]))
  return chained && `${chained[0]} depends on a column that is itself derived`
}

const isDerived = (origin: Origin | undefined): boolean =>
  origin === undefined || origin.kind === 'when' || origin.kind === 'uuid'
