import type { DocumentField } from '../ast/index.ts'
import type { PrintedDocuments } from './dialect.ts'
import { objectsOf, samePath } from './json-levels.ts'
import { quoteEscaped, quoteName, quoteText } from './quote.ts'

const FUNCTION = 'pg_temp.mergelaw_document'

/** An escape of U+0000, a high surrogate that no low one follows, or a low one that no high one precedes. */
const ILL_FORMED = quoteEscaped(
  String.raw`\\u0000|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}`,
)

/** What replaces them, as REGEXP_REPLACE takes it. */
const REPLACEMENT = quoteEscaped(String.raw`\\ufffd`)

const BACKSLASH = quoteEscaped('\\')
const SUSPECT_ESCAPE = quoteEscaped(String.raw`\\u(0000|[dD][89a-fA-F])`)
const BACKSLASHES = quoteEscaped('\\\\')

/** What may be a number that JSONB writes another way than the document, or cannot hold: one with an exponent, one of very many digits. */
const SUSPECT_NUMBER = quoteEscaped(String.raw`[,:[][ \t\n\r]*-?[0-9]+([.][0-9]+)?[eE]`)
const MANY_DIGITS = 16_383
const SUSPECT_DIGITS = quoteText('[0-9]{255}')
/** Every number that is no integer, by how it is written, of 64 bits. */
const NO_INTEGER = quoteText('(?<![-+.0-9eE])-?([0-9]+([.][0-9]+)?[eE][-+]?[0-9]+|[0-9]+[.][0-9]+|[0-9]{20}[0-9]*)')
const STRING_OR_REST = quoteEscaped(String.raw`"(?:[^"\\]|\\.)*"|[^"]+`)

/**
 * PostgreSQL: the statement that must have run on a connection before its documents can be read. It leaves nothing in the database.
 *
 * Divergence: no cast of PostgreSQL 15 to 18 is total. Bad JSON (22P02), `\u0000` and lone surrogates (22P05, 22P02) and very deep
 * nesting (54001, from IS JSON and PG_INPUT_IS_VALID too) abort the statement; so it needs a block that catches them. JSONB takes the
 * last of duplicate names and is parsed once for all fields, but forgets how a number was written and cannot hold every one: where a document may have
 * such a number, all that are no integers become 0.5 first.
 */
export const POSTGRES_PREPARE_DOCUMENTS = `DROP FUNCTION IF EXISTS ${FUNCTION}(TEXT);
CREATE FUNCTION ${FUNCTION}(document TEXT) RETURNS JSONB
LANGUAGE plpgsql STABLE AS $mergelaw$
BEGIN
  IF STRPOS(document COLLATE "C", ${BACKSLASH}) > 0 AND document ~ ${SUSPECT_ESCAPE} THEN
    PERFORM document::JSON;
    document := REPLACE(REGEXP_REPLACE(REPLACE(document, ${BACKSLASHES}, CHR(1)), ${ILL_FORMED}, ${REPLACEMENT}, 'g'), CHR(1), ${BACKSLASHES});
  END IF;
  IF document ~ ${SUSPECT_NUMBER} OR (OCTET_LENGTH(document) > ${MANY_DIGITS} AND document ~ ${SUSPECT_DIGITS}) THEN
    PERFORM document::JSON;
    document := (
      SELECT STRING_AGG(
        CASE WHEN part.token[1] LIKE '"%' THEN part.token[1] ELSE REGEXP_REPLACE(part.token[1], ${NO_INTEGER}, '0.5', 'g') END, '' ORDER BY part.at
      )
      FROM REGEXP_MATCHES(document, ${STRING_OR_REST}, 'g') WITH ORDINALITY AS part(token, at)
    );
  END IF;
  RETURN document::JSONB;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN NULL;
END
$mergelaw$;
`

/** By the member as JSONB and as text. */
const READ: Readonly<Record<DocumentField['type'], (value: string, text: string) => string>> = {
  text: (value, text) => `CASE JSONB_TYPEOF(${value}) WHEN 'string' THEN ${text} END`,
  int64: (value) => `CASE JSONB_TYPEOF(${value}) WHEN 'number' THEN
      CASE WHEN SCALE((${value})::NUMERIC) = 0 AND (${value})::NUMERIC BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (${value})::BIGINT END
    END`,
  bool: (value) => `CASE ${value} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`,
}

/** PostgreSQL: each OFFSET 0 keeps the planner from parsing a document, or finding an object in it, again for each field. */
export const postgresDocuments = (node: PrintedDocuments): string => {
  const paths = objectsOf(node.fields)
  const memberAt = (path: readonly string[], arrow: '->' | '->>'): string => {
    const name = path.at(-1)
    if (name === undefined) return arrow === '->' ? 'document.level_0' : "document.level_0 #>> '{}'"
    const at = paths.findIndex((outer) => samePath(outer, path.slice(0, -1)))
    return `${at === 0 ? 'document' : `object_${at}`}.level_${at} ${arrow} ${quoteEscaped(name)}`
  }
  const objects = paths.slice(1).map(
    (path, at) => `
  CROSS JOIN LATERAL (SELECT ${memberAt(path, '->')} AS level_${at + 1} OFFSET 0) AS object_${at + 1}`,
  )
  return `(
  SELECT
    ${node.columns.map(({ name, sql }) => `${sql} AS ${quoteName(name)}`).join(',\n    ')},
    document.level_0 IS NOT NULL AS ${quoteName(node.readable)},
    ${node.fields.map(({ name, path, type }) => `${READ[type](memberAt(path, '->'), memberAt(path, '->>'))} AS ${quoteName(name)}`).join(',\n    ')}
  FROM ${quoteName(node.table)} AS source
  CROSS JOIN LATERAL (SELECT ${FUNCTION}(source.${quoteName(node.document)}) AS level_0 OFFSET 0) AS document${objects.join('')}
  WHERE ${node.where.join(' AND ')}
  OFFSET 0
) AS source`
}
