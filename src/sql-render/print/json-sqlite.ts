import { MergelawError } from '../../errors/index.ts'
import type { DocumentField } from '../ast/index.ts'
import type { PrintedDocuments } from './dialect.ts'
import { objectsOf } from './json-levels.ts'
import { quoteName, quoteText } from './quote.ts'

/**
 * Divergence: SQLite takes U+0000 and lone surrogates from a JSON text as they are, and so makes text that no other database holds.
 * They become U+FFFD in the JSON itself. Escaped backslashes are set aside as U+0001 meanwhile, which no valid JSON has in it.
 *
 * The text is quoted as one JSON string and cut at every `\ud` by making it an array of strings, so that the cost follows its length:
 * writers that escape all but ASCII have one for half of each emoji. A piece begins with the escape's other three digits, and a high
 * half is a whole pair where it is nothing but those and the next piece begins with a low one.
 */
const cleaned = (text: string): string => `CASE
        WHEN ${text} GLOB '*\\u0000*' OR ${text} GLOB '*\\u[dD][89abcdefABCDEF]*' THEN (
          SELECT REPLACE(GROUP_CONCAT(
            CASE
              WHEN at = 0 THEN piece
              WHEN half = '' OR (half = 'high' AND following = 'low') OR (half = 'low' AND before = 'high') THEN '\\ud' || piece
              ELSE '\\ufffd' || SUBSTR(piece, 4)
            END, '' ORDER BY at), CHAR(1), '\\\\')
          FROM (
            SELECT at, piece, half, LAG(half) OVER (ORDER BY at) AS before, LEAD(half) OVER (ORDER BY at) AS following
            FROM (
              SELECT
                cut.key AS at,
                cut.value AS piece,
                CASE
                  WHEN cut.key = 0 OR cut.value GLOB '[01234567]*' THEN ''
                  WHEN cut.value GLOB '[cdefCDEF]*' THEN 'low'
                  WHEN LENGTH(cut.value) = 3 THEN 'high'
                  ELSE 'high alone'
                END AS half
              FROM JSON_EACH('[' || REPLACE(
                JSON_QUOTE(REPLACE(REPLACE(REPLACE(${text}, '\\\\', CHAR(1)), '\\u0000', '\\ufffd'), '\\uD', '\\ud')), '\\\\ud', '","'
              ) || ']') AS cut
            )
          )
        )
        ELSE ${text}
      END`

/** `$."normalized"."kind"`. Divergence: SQLite compares names inside a path as written, so one that JSON escapes cannot be found. */
const jsonPath = (path: readonly string[]): string => {
  const odd = path.find((name) => /["\\\p{Cc}]/u.test(name))
  if (odd !== undefined)
    throw new MergelawError('unsupported', `SQLite has no JSON path to a member named ${JSON.stringify(odd)}.`)
  return quoteText(`$${path.map((name) => `."${name}"`).join('')}`)
}

/** Whether a name stands more than once in the object at a path. No for what is none: places in an array differ, a scalar has no names. */
const hasDuplicates = (path: string): string =>
  `(SELECT COUNT(member.key) > COUNT(DISTINCT member.key) FROM JSON_EACH(document, ${path}) AS member)`

/** The document with the members of one object last first. */
const lastFirst = (path: string, from: string): string => `(
          SELECT CASE
            WHEN ${hasDuplicates(path)}
            THEN JSONB_SET(document, ${path}, (
              SELECT JSONB_GROUP_OBJECT(
                member.key,
                CASE WHEN member.type IN ('object', 'array') THEN JSONB(member.value) WHEN member.type IN ('true', 'false') THEN JSONB(member.type) ELSE member.value END
                ORDER BY member.id DESC
              ) FROM JSON_EACH(document, ${path}) AS member
            ))
            ELSE document
          END AS document
          FROM ${from}
          LIMIT 1
        )`

/** Divergence: of duplicate names SQLite takes the first, PostgreSQL and JSON.parse the last; so those objects are turned round. */
const withLastNames = (paths: readonly string[]): string => `CASE
        WHEN ${paths.map(hasDuplicates).join(' OR ')}
        THEN ${paths.reduce((from, path) => lastFirst(path, from), '(SELECT document.document LIMIT 1)')}
        ELSE document
      END`

const READ: Readonly<Record<DocumentField['type'], (path: string) => string>> = {
  text: (path) => `CASE WHEN JSON_TYPE(document, ${path}) = 'text' THEN JSON_EXTRACT(document, ${path}) END`,
  // An integer past 64 bits comes as REAL; one with fraction or exponent has the JSON type 'real'.
  int64: (path) =>
    `CASE WHEN JSON_TYPE(document, ${path}) = 'integer' AND TYPEOF(JSON_EXTRACT(document, ${path})) = 'integer' THEN JSON_EXTRACT(document, ${path}) END`,
  bool: (path) => `CASE JSON_TYPE(document, ${path}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`,
}

/** SQLite: each document is parsed into JSONB once and each field looked up in that once; materialised steps see to both. */
export const sqliteDocuments = (node: PrintedDocuments): string => {
  const columns = node.columns.map(({ name }) => `${quoteName(name)},`).join(' ')
  const text = `source.${quoteName(node.document)}`
  return `(
  WITH document AS MATERIALIZED (
    SELECT
      ${node.columns.map(({ name, sql }) => `${sql} AS ${quoteName(name)},`).join('\n      ')}
      CASE WHEN TYPEOF(${text}) = 'text' AND INSTR(${text}, CHAR(0)) = 0 AND JSON_VALID(${text}) THEN JSONB(${cleaned(text)}) END AS document
    FROM ${quoteName(node.table)} AS source
    WHERE ${node.where.join(' AND ')}
  ),
  document_names AS MATERIALIZED (
    SELECT
      ${columns}
      ${withLastNames(objectsOf(node.fields).map(jsonPath))} AS document
    FROM document
  ),
  document_fields AS MATERIALIZED (
    SELECT
      ${columns}
      document IS NOT NULL AS ${quoteName(node.readable)},
      ${node.fields.map(({ name, path, type }) => `${READ[type](jsonPath(path))} AS ${quoteName(name)}`).join(',\n      ')}
    FROM document_names
  )
  SELECT * FROM document_fields
) AS source`
}
