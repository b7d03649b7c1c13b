import { MergelawError } from '../../errors/index.ts'
import { type Column, type Contract, columnOf, type Origin, type Projection, type SkipReason } from '../../rules/index.ts'
import {
  caseWhen,
  coalesce,
  column,
  compare,
  type DocumentField,
  type Documents,
  type Expression,
  instant,
  isOneOf,
  literal,
  mentions,
  type Output,
  plainText,
  uuid,
} from '../ast/index.ts'
import { sqlType } from './columns.ts'

const source = (name: string): Expression => column('source', name)

/** Names beside the source's own columns; the prefix keeps them apart. */
export const READABLE = 'doc_readable'
export const KIND = 'doc_kind'
export const SOURCE_ID = 'source_id'
const fieldName = (target: string): string => `doc_${target}`

/** The source rows that may qualify, with what their documents hold. */
export const lowerDocuments = (
  contract: Contract,
  projection: Projection,
  targets: readonly string[],
  where: readonly Expression[] = [],
): Documents => ({
  kind: 'documents',
  table: projection.table,
  columns: ownColumns(contract, projection, targets),
  document: projection.document,
  readable: READABLE,
  fields: documentFields(contract, projection, targets),
  where: [mentions(source(projection.document), projection.kind.equals), ...where],
})

/** The source row's id, and its own columns that these targets need, each normalised where it is read. */
const ownColumns = (contract: Contract, { id, columns }: Projection, targets: readonly string[]): readonly Output[] => {
  const outputs = new Map<string, Output>([[SOURCE_ID, { name: SOURCE_ID, value: source(id) }]])
  for (const target of targets) {
    const column = columnOf(contract, target)
    for (const name of ownNames(columns[target]))
      outputs.set(ownName(column, name), { name: ownName(column, name), value: ownValue(column, source(name)) })
  }
  return [...outputs.values()]
}

const ownNames = (origin: Origin | undefined): readonly string[] => {
  if (origin?.kind === 'when') return ownNames(origin.from)
  return origin?.kind === 'source' ? origin.columns : []
}

/** A column that serves as a text and as an instant is read twice. */
const ownName = (column: Column, name: string): string => `${column.type}_${name}`

/** The members of the document that these target columns need, and its kind. */
const documentFields = (
  contract: Contract,
  { kind, columns }: Projection,
  targets: readonly string[],
): readonly DocumentField[] => [
  { name: KIND, path: kind.path, type: 'text' },
  ...targets.flatMap((target): readonly DocumentField[] => {
    const origin = columns[target]
    if (origin?.kind !== 'json') return []
    const { type } = columnOf(contract, target)
    if (type === 'instant')
      throw new MergelawError('unsupported', `${contract.table}.${target}: no instant is read from a document yet.`)
    return [{ name: fieldName(target), path: origin.path, type }]
  }),
]

/** Each target column out of the rows of `lowerDocuments`, absence as the contract says. */
export const lowerOrigins = (contract: Contract, projection: Projection, targets: readonly string[]): readonly Output[] =>
  targets.map((name) => ({ name, value: lowerOrigin(contract, projection, name) }))

const lowerOrigin = (contract: Contract, projection: Projection, target: string, inner?: Origin): Expression => {
  const column = columnOf(contract, target)
  const origin = inner ?? projection.columns[target]
  switch (origin?.kind) {
    case 'constant':
      return literal(origin.value)
    case 'uuid':
      return uuid
    case 'source':
      return withAbsence(column, firstOf(origin.columns.map((name) => source(ownName(column, name)))))
    case 'json':
      return withAbsence(column, source(fieldName(target)))
    case 'when': {
      const then = lowerOrigin(contract, projection, target, origin.from)
      return caseWhen([{ when: isOneOf(lowerOrigin(contract, projection, origin.column), origin.isOneOf), then }], literal(null))
    }
    case undefined:
      throw new MergelawError('contract', `${contract.table}.${target} has no origin in the projection of ${projection.table}.`)
  }
}

const firstOf = (values: readonly Expression[]): Expression =>
  values.length === 1 && values[0] !== undefined ? values[0] : coalesce(...values)

const ownValue = (column: Column, value: Expression): Expression => {
  if (column.type !== 'instant') return plainText(value)
  // A naive value assigned to a column with time zone would be read in the session's.
  if (column.postgres === 'timestamptz')
    throw new MergelawError('unsupported', 'A projection onto timestamptz is not supported yet.')
  return instant(value, sqlType(column))
}

const withAbsence = (column: Column, value: Expression): Expression => {
  const branches = column.absent.map((rule) => {
    if (typeof rule === 'object') return { when: compare(value, '=', literal(rule.marker)), then: literal(null) }
    const [operator, limit] = ABSENT[rule]
    return { when: compare(value, operator, literal(limit)), then: literal(null) }
  })
  const present = branches.length === 0 ? value : caseWhen(branches, value)
  return column.default === undefined ? present : coalesce(present, literal(column.default))
}

const ABSENT = { empty: ['=', ''], zero: ['=', 0n], negative: ['<', 0n] } as const

/** A reason as the literal that the report is read by. */
export const reason = (value: SkipReason): Expression => literal(value)
