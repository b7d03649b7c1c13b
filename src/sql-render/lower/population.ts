import { type Contract, columnOf } from '../../rules/index.ts'
import {
  atOrAfter,
  caseWhen,
  column,
  count,
  type Expression,
  isNull,
  isOneOf,
  literal,
  or,
  parameter,
  type Query,
  queryOf,
  stored,
} from '../ast/index.ts'
import { sqlType } from './columns.ts'

/** What a table's rows are counted by. */
export interface Population {
  /** A text column whose values are told apart. */
  readonly source: string
  /** A key column, and the sentinel that means that nothing was reported; undefined where the table has no such column yet. */
  readonly identity: { readonly column: string; readonly absentAs: string } | undefined
  /** An instant column, compared with the parameter `since`; undefined where there is no such instant. */
  readonly since: string | undefined
}

const SINCE = 'since'
const NAMES = ['source', 'known', 'since'] as const

/** In a former shape the column may also be NULL or empty. */
const isUnknown = (identity: Expression, absentAs: string): Expression => or(isNull(identity), isOneOf(identity, ['', absentAs]))

/** Rows by source, by whether they carry an identity, and by whether they are at or after an instant. The last column counts them. */
export const lowerPopulation = (contract: Contract, { source, identity, since }: Population): Query => {
  const flag = (when: Expression, then: bigint, otherwise: bigint): Expression =>
    caseWhen([{ when, then: literal(then) }], literal(otherwise))
  const known = identity === undefined ? literal(0n) : flag(isUnknown(stored(identity.column), identity.absentAs), 0n, 1n)
  const at = since === undefined ? undefined : sqlType(columnOf(contract, since))
  const isSince =
    since === undefined || at === undefined ? literal(0n) : flag(atOrAfter(stored(since), parameter(SINCE, at), at), 1n, 0n)
  // Grouped outside, since a parameter that stands twice is two parameters.
  const rows = queryOf({
    outputs: [
      { name: 'source', value: stored(source) },
      { name: 'known', value: known },
      { name: 'since', value: isSince },
    ],
    from: { kind: 'table', table: contract.table, as: 'stored' },
  })
  const groups = NAMES.map((name) => column('unqualified', name))
  return queryOf({
    outputs: [...NAMES.map((name) => ({ name, value: column('unqualified', name) })), { name: 'rows', value: count('group') }],
    from: { kind: 'derived', query: rows, as: 'population' },
    groupBy: groups,
    orderBy: groups,
  })
}
