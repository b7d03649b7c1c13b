import type { DialectHooks } from './dialect.ts'
import { escapeDigits } from './json-levels.ts'
import { POSTGRES_PREPARE_DOCUMENTS, postgresDocuments } from './json-postgres.ts'
import { quoteEscaped } from './quote.ts'

const typeName = { text: 'TEXT', int64: 'BIGINT', bool: 'INTEGER', timestamp: 'TIMESTAMP', timestamptz: 'TIMESTAMPTZ' } as const

/** Always quoted, so that an empty text, a comma or the word NULL is what it is. */
const arrayElement = (value: string | bigint | null): string => {
  if (value === null) return 'NULL'
  const text = String(value)
  return `"${NEEDS_ESCAPE.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}
const NEEDS_ESCAPE = /["\\]/

const PATTERN = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`

/** The years that the other database holds too; PostgreSQL also has BC, five-digit years and infinity. */
const EARLIEST = "'0001-01-01'"
const LATEST = "'9999-12-31 23:59:59.999999'"

/**
 * PostgreSQL: every parameter is cast, instants are read as text.
 *
 * Divergence: the server infers a parameter's type from its surroundings, and `COALESCE($1, 0)` makes it a four-byte integer; SQLite
 * has no parameter types (hazard 28). Divergence: drivers read naive timestamps in local time and cut them at milliseconds, so
 * the text is made in SQL, where neither TimeZone nor DateStyle plays a part (hazards 41, 42).
 */
export const postgres: DialectHooks = {
  typeName,
  parameter: (position, type) => `$${position}::${typeName[type]}`,
  arrayParameter: (position, type) => `$${position}::${typeName[type]}[]`,
  arrayText: (values) => `{${values.map(arrayElement).join(',')}}`,
  bytes: (operand) => `${operand} COLLATE "C"`,
  moment: (operand) => operand,
  instant: (operand) => `CASE WHEN ${operand} BETWEEN ${EARLIEST} AND ${LATEST} THEN ${operand} END`,
  atOrAfter: (operand, since) => `${operand} BETWEEN ${since()} AND ${LATEST}`,
  // By bytes, which is all that ASCII needs: half the cost of LIKE, which steps through characters. A text without a backslash, which
  // is the quickest to see, has no escapes.
  mentions: (operand, text) => {
    const holds = (part: string): string => `STRPOS(${operand} COLLATE "C", ${quoteEscaped(part)}) > 0`
    return `(${holds(text)} OR (${holds('\\')} AND ${holds('\\u00')} AND ${operand} ~ ${quoteEscaped(`\\\\u00[${escapeDigits(text)}]`)}))`
  },
  plainText: (operand) => operand,
  text: quoteEscaped,
  uuid: 'GEN_RANDOM_UUID()::TEXT',
  temporary: 'pg_temp',
  prepareDocuments: POSTGRES_PREPARE_DOCUMENTS,
  documents: postgresDocuments,
  read: (operand, type) => {
    if (type === 'timestamp') return `TO_CHAR(${operand}, ${PATTERN})`
    if (type === 'timestamptz') return `TO_CHAR(${operand} AT TIME ZONE 'UTC', ${PATTERN})`
    return operand
  },
  encodeInstant: (instant, type) => `${instant.slice(0, 10)} ${instant.slice(11, -1)}${type === 'timestamptz' ? '+00' : ''}`,
}
