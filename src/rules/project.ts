import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { MergelawError } from '../errors/index.ts'
import { toInstant } from '../util/instant.ts'
import { isWrittenNumber, memberOf, readJson } from '../util/json.ts'
import type { Contract } from './contract.ts'
import { columnOf, compileNormalise } from './normalise.ts'
import type { Origin, Projection, SkipReason } from './projection.ts'
import { type ColumnType, INT64_MAX, INT64_MIN, type Tuple } from './values.ts'

/** A source row: its columns as text, NULL as null. Instants in any spelling. */
export type SourceRow = Readonly<Record<string, string | null>>

/** From one source row to its row, or to why there is none. Whether its parent lives, and whether a newer one exists, it cannot know. */
export type Project = (row: SourceRow, newId: () => string) => Either<SkipReason, Tuple>

/** Compiles a projection: the readable truth that the SQL of each database is compared with. */
export const compileProjection = (contract: Contract, projection: Projection): Project => {
  const normalise = compileNormalise(contract)
  const names = Object.keys(contract.columns)
  const at = names.indexOf(projection.at)
  return (row, newId) => {
    const document = readDocument(row[projection.document])
    if (document === undefined) return left('unreadable')
    if (asType.text(memberAt(document, projection.kind.path)) !== projection.kind.equals) return left('other-kind')
    const read = (name: string, origin = projection.columns[name] as Origin): unknown => {
      switch (origin.kind) {
        case 'source':
          return firstOf(origin.columns.map((column) => ownValue(row[column], columnOf(contract, name).type)))
        case 'json':
          return asType[columnOf(contract, name).type](memberAt(document, origin.path))
        case 'constant':
          return origin.value
        case 'uuid':
          return newId()
        case 'when':
          return origin.isOneOf.some((text) => text === read(origin.column)) ? read(name, origin.from) : undefined
      }
    }
    const incoming = Object.fromEntries(names.map((name) => [name, read(name) ?? null]))
    if (projection.identity.some((name) => incoming[name] === null || incoming[name] === '')) return left('no-identity')
    if (incoming[projection.at] === null) return left('no-instant')
    const normalised = normalise(incoming)
    if (isLeft(normalised)) throw new MergelawError('row', normalised.left.map(({ message }) => message).join('; '))
    return normalised.right.tuple[at] === null ? left('no-instant') : right(normalised.right.tuple)
  }
}

/**
 * True when a document may be of the projection's kind: its text is in it, or an escape that could spell one of its letters.
 *
 * The prefilter of the SQL as a function: cheap, and never false for a document of the kind. What comes after U+0000 does not count.
 */
export const compileCandidate = ({ document, kind }: Projection): ((row: SourceRow) => boolean) => {
  const spelled = new RegExp(`\\\\u00[${escapeClass(kind.equals)}]`)
  return (row) => {
    const [text = ''] = (row[document] ?? '').split('\0', 1)
    return text.includes(kind.equals) || spelled.test(text)
  }
}

/** The first hexadecimal digits of the escapes that spell these letters: `567` for `subagent_task`, since `_` is U+005F. */
const escapeClass = (text: string): string =>
  [...new Set(Array.from(text, (letter) => letter.charCodeAt(0) >> 4))].sort((a, b) => a - b).join('')

/** Every JSON value is an object, an array, a text, a number, true, false or null; undefined is "no JSON". */
const readDocument = (text: string | null | undefined): unknown => (typeof text === 'string' ? readJson(text) : undefined)

const memberAt = (document: unknown, path: readonly string[]): unknown => path.reduce(memberOf, document)

const firstOf = (values: readonly unknown[]): unknown => values.find((value) => value !== undefined)

/** A host's own column. A text with U+0000 in it, which PostgreSQL cannot hold, identifies nothing. */
const ownValue = (value: string | null | undefined, type: ColumnType): string | undefined => {
  if (typeof value !== 'string' || value.includes('\0')) return undefined
  return type === 'instant' ? toInstant(value) : value
}

const INTEGER = /^-?\d+$/

/** A JSON value as a column's type; undefined where it is of another one. No text is an instant, and no number is rounded. */
const asType: Readonly<Record<ColumnType, (value: unknown) => string | bigint | boolean | undefined>> = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  int64: (value) => {
    const written = isWrittenNumber(value) ? value.toString() : ''
    if (!INTEGER.test(written)) return undefined
    const integer = BigInt(written)
    return integer >= INT64_MIN && integer <= INT64_MAX ? integer : undefined
  },
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  instant: (value) => (typeof value === 'string' ? toInstant(value) : undefined),
}
