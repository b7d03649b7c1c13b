import type { DocumentField } from '../ast/index.ts'
import type { PrintedDocuments } from './dialect.ts'
import { levelsOf, samePath } from './json-levels.ts'
import { quoteEscaped, quoteName } from './quote.ts'

const FUNCTION = 'pg_temp.mergelaw_document'

const TYPE: Readonly<Record<DocumentField['type'], string>> = { text: 'TEXT', int64: 'BIGINT', bool: 'INTEGER' }

/** An escape of U+0000, a high surrogate that no low one follows, or a low one that no high one precedes. */
const ILL_FORMED = quoteEscaped(
  String.raw`\\u0000|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}`,
)

/** What replaces them, as REGEXP_REPLACE takes it. */
const REPLACEMENT = quoteEscaped(String.raw`\\ufffd`)

const ESCAPE = quoteEscaped('\\u')
const SUSPECT = quoteEscaped(String.raw`\\u(0000|[dD][89a-fA-F])`)
const BACKSLASHES = quoteEscaped('\\\\')

const READ: Readonly<Record<DocumentField['type'], (value: string) => string>> = {
  text: (value) => `CASE WHEN JSON_TYPEOF(${value}) = 'string' THEN ${value} #>> '{}' END`,
  int64: (value) => `CASE
    WHEN ${value}::TEXT ~ '^-?[0-9]{1,18}$' THEN ${value}::TEXT::BIGINT
    WHEN ${value}::TEXT ~ '^-?[0-9]{19}$' AND ${value}::TEXT::NUMERIC BETWEEN -9223372036854775808 AND 9223372036854775807 THEN ${value}::TEXT::BIGINT
  END`,
  bool: (value) => `CASE WHEN JSON_TYPEOF(${value}) = 'boolean' THEN (${value}::TEXT = 'true')::INTEGER END`,
}

/**
 * PostgreSQL: the statement that must have run on a connection before its documents can be read. It leaves nothing in the database.
 *
 * Divergence: no cast of PostgreSQL 15 to 18 is total. Bad JSON (22P02), `\u0000` and lone surrogates (22P05, 22P02) and very deep
 * nesting (54001, from IS JSON and PG_INPUT_IS_VALID too) abort the statement; so it needs a block that catches them. JSON, not
 * JSONB: that keeps how a number is written. JSON_TO_RECORD takes the last of duplicate names and parses each level once.
 */
export const postgresPrepareDocuments = (readable: string, fields: readonly DocumentField[]): string => {
  const levels = levelsOf(fields)
  const valueAt = (path: readonly string[]): string => {
    const at = levels.findIndex((level) => samePath(level.path, path.slice(0, -1)))
    return path.length === 0 ? 'parsed' : `level_${at}.${quoteName(path.at(-1) ?? '')}`
  }
  const outputs = [`${quoteName(readable)} BOOLEAN`, ...fields.map(({ name, type }) => `${quoteName(name)} ${TYPE[type]}`)]
  const body = `DECLARE
  parsed JSON;
${levels.map((_, at) => `  level_${at} RECORD;`).join('\n')}
BEGIN
  parsed := document::JSON;
  IF STRPOS(document COLLATE "C", ${ESCAPE}) > 0 AND document ~ ${SUSPECT} THEN
    parsed := REPLACE(REGEXP_REPLACE(REPLACE(document, ${BACKSLASHES}, CHR(1)), ${ILL_FORMED}, ${REPLACEMENT}, 'g'), CHR(1), ${BACKSLASHES})::JSON;
  END IF;
${levels.map(({ path, members }, at) => readLevel(at, valueAt(path), members)).join('\n')}
${fields.map(({ name, path, type }) => `  ${quoteName(name)} := ${READ[type](valueAt(path))};`).join('\n')}
  ${quoteName(readable)} := document IS NOT NULL;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  ${[readable, ...fields.map(({ name }) => name)].map((name) => `${quoteName(name)} := NULL;`).join(' ')}
  ${quoteName(readable)} := FALSE;
END`
  return `DROP FUNCTION IF EXISTS ${FUNCTION}(TEXT);
CREATE FUNCTION ${FUNCTION}(document TEXT, ${outputs.map((output) => `OUT ${output}`).join(', ')})
LANGUAGE plpgsql STABLE AS $mergelaw$
${body}
$mergelaw$;
`
}

const readLevel = (at: number, value: string, members: readonly string[]): string =>
  `  SELECT member.* INTO level_${at} FROM JSON_TO_RECORD(CASE WHEN JSON_TYPEOF(${value}) = 'object' THEN ${value} ELSE '{}' END)
    AS member(${members.map((name) => `${quoteName(name)} JSON`).join(', ')});`

export const postgresDocuments = (node: PrintedDocuments): string => `(
  SELECT
    ${node.columns.map(({ name, sql }) => `${sql} AS ${quoteName(name)}`).join(',\n    ')},
    ${[node.readable, ...node.fields.map(({ name }) => name)].map((name) => `document.${quoteName(name)}`).join(', ')}
  FROM ${quoteName(node.table)} AS source
  CROSS JOIN LATERAL ${FUNCTION}(source.${quoteName(node.document)}) AS document
  WHERE ${node.where.join(' AND ')}
) AS source`
