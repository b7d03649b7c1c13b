import { type Contract, columnOf, type Projection } from '../../rules/index.ts'
import {
  atOrAfter,
  bytes,
  coalesce,
  column,
  compare,
  count,
  type Expression,
  exists,
  instant,
  isNotNull,
  literal,
  max,
  type Output,
  parameter,
  plainText,
  type Query,
  queryOf,
  read,
  stored,
  sum,
} from '../ast/index.ts'
import { sqlType } from './columns.ts'
import { KIND, lowerDocuments, lowerOrigins } from './projection.ts'

/** The parts of a key that both tables know; the others, such as an execution, no source row carries. */
export interface HealthOptions {
  readonly compare: readonly string[]
}

/** AC-28 and AC-29: each one statement, each takes one instant named `since`. */
export interface Health {
  readonly shortfall: Query
  readonly excess: Query
  readonly newest: Query
  readonly collisions: Query
}

const SINCE = 'since'

export const lowerHealth = (contract: Contract, projection: Projection, options: HealthOptions): Health => {
  const type = sqlType(columnOf(contract, projection.at))
  const observed = observedKeys(contract, projection, options)
  return {
    shortfall: lowerShortfall(contract, projection, options, observed),
    excess: lowerExcess(contract, projection, options, observed),
    newest: queryOf({
      outputs: [{ name: 'newest', value: read(max(instant(stored(projection.at), type)), type) }],
      from: { kind: 'table', table: contract.table, as: 'stored' },
      where: [isObserved(contract, projection)],
    }),
    collisions: queryOf({
      outputs: [{ name: 'collisions', value: coalesce(sum(column('unqualified', 'more')), literal(0n)) }],
      from: {
        kind: 'derived',
        query: {
          ...observed,
          outputs: [{ name: 'more', value: countBeyondFirst }],
          groupBy: options.compare.map((name) => plainText(stored(name))),
        },
        as: 'keys',
      },
    }),
  }
}

const countBeyondFirst: Expression = { kind: 'minus', left: count('group'), right: literal(1n) }

const isObserved = (contract: Contract, { at }: Projection): Expression => {
  const type = sqlType(columnOf(contract, at))
  return atOrAfter(stored(at), parameter(SINCE, type), type)
}

/**
 * The keys of the rows that were observed in the window, in the form that the other side has. As plain columns they would lead SQLite
 * to read the whole table in the order of an index on them, rather than the window by the index on the instant.
 */
const observedKeys = (contract: Contract, projection: Projection, options: HealthOptions): Query =>
  queryOf({
    outputs: options.compare.map((name) => ({ name, value: plainText(stored(name)) })),
    from: { kind: 'table', table: contract.table, as: 'stored' },
    where: [isObserved(contract, projection)],
  })

/** Source rows of the kind in the window: their keys, whatever is in them. */
const sourceKeys = (contract: Contract, projection: Projection, options: HealthOptions, targets: readonly string[]) => {
  const type = sqlType(columnOf(contract, projection.at))
  const origin = projection.columns[projection.at]
  const created = column('source', origin?.kind === 'source' ? (origin.columns[0] ?? '') : '')
  const outputs = lowerOrigins(contract, projection, options.compare)
  const query = queryOf({
    outputs,
    from: lowerDocuments(contract, projection, targets, [atOrAfter(created, parameter(SINCE, type), type)]),
    where: [compare(column('source', KIND), '=', literal(projection.kind.equals))],
  })
  return { query, outputs }
}

/** Keys that should have a row and have none: the alarm. What no writer records is not expected. */
const lowerShortfall = (contract: Contract, projection: Projection, options: HealthOptions, observed: Query): Query => {
  const { query } = sourceKeys(contract, projection, options, [...new Set([...options.compare, ...projection.identity])])
  const required = lowerOrigins(contract, projection, projection.identity)
  const expected: Query = {
    ...query,
    where: [...query.where, ...required.map(({ value }) => isNotNull(value)), ...parentsOf(contract, required)],
  }
  return queryOf({
    outputs: [
      { name: 'missing', value: count('result') },
      ...options.compare.map((name) => ({ name, value: column('unqualified', name) })),
    ],
    from: { kind: 'derived', query: { kind: 'except', left: expected, right: observed }, as: 'shortfall' },
    orderBy: options.compare.map((name) => bytes(column('unqualified', name))),
  })
}

const parentsOf = (contract: Contract, required: readonly Output[]): readonly Expression[] =>
  contract.foreignKeys.map(({ columns, references }) =>
    exists(
      references.table,
      references.columns.map((name, at) => ({
        name,
        value: required.find((output) => output.name === columns[at])?.value ?? literal(null),
      })),
    ),
  )

/** Keys with a row and no source row that accounts for it: reported, never an alarm. The source half has no other filter, on purpose. */
const lowerExcess = (contract: Contract, projection: Projection, options: HealthOptions, observed: Query): Query =>
  queryOf({
    outputs: [{ name: 'excess', value: count('group') }],
    from: {
      kind: 'derived',
      query: { kind: 'except', left: observed, right: sourceKeys(contract, projection, options, options.compare).query },
      as: 'excess',
    },
  })
