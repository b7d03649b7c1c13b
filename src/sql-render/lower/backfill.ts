import { type Contract, columnOf, type Projection } from '../../rules/index.ts'
import {
  bytes,
  caseWhen,
  column,
  compare,
  count,
  type Expression,
  exists,
  type InsertSelect,
  isNull,
  literal,
  max,
  not,
  type Output,
  or,
  type Query,
  queryOf,
  rank,
  read,
  type Source,
  type Stage,
  type Unstage,
} from '../ast/index.ts'
import { ordered, sqlType } from './columns.ts'
import { KIND, lowerDocuments, lowerOrigins, READABLE, reason, SOURCE_ID } from './projection.ts'

/** The temporary table of the candidates, and its columns beside the target's. */
const STAGE = 'mergelaw_backfill'
const SKIP = 'skip_reason'
const PLACE = 'place'

const staged = (name: string): Expression => column('staged', name)
const stage: Source = { kind: 'staged', name: STAGE }
const qualifies = isNull(staged(SKIP))

/** Target columns that are made per row when it is inserted, not when it is staged. */
const isStaged =
  ({ columns }: Projection) =>
  (name: string): boolean =>
    columns[name]?.kind !== 'uuid'

/** The statements of a backfill, in the order they must run; one snapshot serves all, since only the first reads the source. */
export interface Backfill {
  readonly unstage: Unstage
  readonly stage: Stage
  readonly newest: Query
  readonly insert: InsertSelect
  readonly reasons: Query
  readonly scanned: Query
}

export const lowerBackfill = (contract: Contract, projection: Projection): Backfill => ({
  unstage: { kind: 'unstage', name: STAGE },
  stage: lowerStage(contract, projection),
  newest: lowerNewest(contract, projection),
  insert: lowerInsert(contract, projection),
  reasons: queryOf({
    outputs: [
      { name: SKIP, value: staged(SKIP) },
      { name: 'messages', value: count('group') },
    ],
    from: stage,
    groupBy: [staged(SKIP)],
  }),
  scanned: queryOf({
    outputs: [{ name: 'messages', value: count('group') }],
    from: { kind: 'table', table: projection.table, as: 'source' },
  }),
})

/** Every candidate with its row, or with why it has none. */
const lowerStage = (contract: Contract, projection: Projection): Stage => {
  const targets = Object.keys(contract.columns).filter(isStaged(projection))
  const outputs = lowerOrigins(contract, projection, targets)
  return {
    kind: 'stage',
    name: STAGE,
    query: queryOf({
      outputs: [
        { name: SOURCE_ID, value: column('source', SOURCE_ID) },
        { name: SKIP, value: lowerSkip(contract, projection, outputs) },
        ...outputs,
      ],
      from: lowerDocuments(contract, projection, targets),
    }),
  }
}

const outputNamed = (outputs: readonly Output[], name: string): Expression =>
  outputs.find((output) => output.name === name)?.value ?? literal(null)

const lowerSkip = (contract: Contract, projection: Projection, outputs: readonly Output[]): Expression => {
  const parents = contract.foreignKeys.map(({ columns, references }) =>
    exists(
      references.table,
      references.columns.map((name, at) => ({ name, value: outputNamed(outputs, columns[at] ?? '') })),
    ),
  )
  return caseWhen(
    [
      { when: not(column('source', READABLE)), then: reason('unreadable') },
      {
        when: or(isNull(column('source', KIND)), compare(column('source', KIND), '<>', literal(projection.kind.equals))),
        then: reason('other-kind'),
      },
      { when: or(...projection.identity.map((name) => isNull(outputNamed(outputs, name)))), then: reason('no-identity') },
      { when: isNull(outputNamed(outputs, projection.at)), then: reason('no-instant') },
      ...parents.map((parent) => ({ when: parent, then: literal(null) })),
    ],
    parents.length === 0 ? literal(null) : reason('orphan'),
  )
}

/** AC-24d: taken over the staged candidates, so before the insert and over its snapshot. */
const lowerNewest = (contract: Contract, { at }: Projection): Query => {
  const type = sqlType(columnOf(contract, at))
  return queryOf({
    outputs: [
      { name: 'through', value: read(max(staged('newest')), type) },
      { name: 'keys', value: count('group') },
    ],
    from: {
      kind: 'derived',
      query: queryOf({
        outputs: [{ name: 'newest', value: max(staged(at)) }],
        from: stage,
        where: [qualifies],
        groupBy: contract.key.map(staged),
      }),
      as: 'staged',
    },
  })
}

/** AC-21b: of each key the row of the newest message, then of the greatest id. AC-22: what is there stays. */
const lowerInsert = (contract: Contract, projection: Projection): InsertSelect => {
  const names = Object.keys(contract.columns)
  const stagedNames = names.filter(isStaged(projection))
  const type = sqlType(columnOf(contract, projection.at))
  return {
    kind: 'insertSelect',
    table: contract.table,
    columns: names,
    query: queryOf({
      outputs: lowerOrigins(contract, projection, names).map(({ name, value }) => ({
        name,
        value: stagedNames.includes(name) ? staged(name) : value,
      })),
      from: {
        kind: 'derived',
        query: queryOf({
          outputs: [
            ...stagedNames.map((name) => ({ name, value: staged(name) })),
            {
              name: PLACE,
              value: rank(contract.key.map(staged), [ordered(staged(projection.at), type), bytes(staged(SOURCE_ID))]),
            },
          ],
          from: stage,
          where: [qualifies],
        }),
        as: 'staged',
      },
      where: [compare(staged(PLACE), '=', literal(1n))],
    }),
    conflict: contract.key,
  }
}
