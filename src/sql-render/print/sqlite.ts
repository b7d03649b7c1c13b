import { MergelawError } from '../../errors/index.ts'
import type { DialectHooks } from './dialect.ts'
import { escapeDigits } from './json-levels.ts'
import { sqliteDocuments } from './json-sqlite.ts'
import { quoteText } from './quote.ts'

/** Text of printable ASCII and nothing else: GLOB stops at U+0000. Not by OCTET_LENGTH, which counts two for each in a UTF-16 database. */
const isPlain = (x: string): string => `${x} NOT GLOB '*[^ -~]*' AND INSTR(${x}, CHAR(0)) = 0`

const digits = (pattern: string): string => pattern.replaceAll('0', '[0-9]')

/** The spelling that this library writes, but for the calendar: no month or day past its range, no day that some month has not. */
const isCanonical = (x: string): string =>
  [
    `${x} GLOB '${digits('0000-')}[01]${digits('0-')}[0-2]${digits('0 ')}[0-2]${digits('0:')}[0-5]${digits('0:')}[0-5]${digits('0.000000')}+00:00'`,
    // Not the text as a whole: against a TIMESTAMP column '0001' would become a number.
    `SUBSTR(${x}, 1, 4) > '0000'`,
    `SUBSTR(${x}, 6, 2) BETWEEN '01' AND '12'`,
    `SUBSTR(${x}, 9, 2) BETWEEN '01' AND '28'`,
    `SUBSTR(${x}, 12, 2) <= '23'`,
    `INSTR(${x}, CHAR(0)) = 0`,
  ].join(' AND ')

const SECONDS = "'%Y-%m-%d %H:%M:%S'"

/** What stands behind the fraction: `Z`, an offset, or nothing. */
const zoneOf = (x: string): string => `LTRIM(SUBSTR(${x}, 20), '.0123456789')`

/** An offset with its sign turned round, as the date functions' modifier that takes it back to UTC. */
const toUtc = (zone: string): string =>
  `CASE SUBSTR(${zone}, 1, 1) WHEN '+' THEN '-' WHEN '-' THEN '+' ELSE '+00:00' END || SUBSTR(${zone}, 2)`

/**
 * Any stored spelling of an instant as `2026-08-03 15:32:20.123456+00:00`, which compares as text.
 *
 * For columns that hold instants: what is none has some place in the order, and no meaning. Our own spelling is taken as it is.
 */
const moment = (x: string): string =>
  [
    `CASE WHEN ${x} LIKE '____-__-__ __:__:__.______+00:00' THEN ${x}`,
    `ELSE DATETIME(SUBSTR(${x}, 1, 10) || ' ' || SUBSTR(${x}, 12, 8), ${toUtc(zoneOf(x))})`,
    `  || '.' || SUBSTR(SUBSTR(${x}, 21, MAX(0, LENGTH(${x}) - 20 - LENGTH(${zoneOf(x)}))) || '000000', 1, 6) || '+00:00' END`,
  ].join('\n      ')

/**
 * The same, NULL for whatever is no instant from the year 1 to 9999: for texts of other programs, which may hold anything.
 *
 * Divergence: SQLite has no timestamp type. Its date functions round to milliseconds, take 'now', day numbers and 30 February, and know
 * offsets up to 14 hours. So only date and time go through STRFTIME, which must give them back unchanged; the fraction is cut as
 * text, and the offset is a modifier. https://sqlite.org/lang_datefunc.html
 */
const instant = (x: string): string => {
  const local = `SUBSTR(${x}, 1, 10) || ' ' || SUBSTR(${x}, 12, 8)`
  const zone = zoneOf(x)
  const fraction = `SUBSTR(${x}, 20, LENGTH(${x}) - 19 - LENGTH(${zone}))`
  const utc = `STRFTIME(${SECONDS}, ${local}, ${toUtc(zone)})`
  const isInstant = [
    `SUBSTR(${x}, 11, 1) IN ('T', 't', ' ')`,
    `STRFTIME(${SECONDS}, ${local}) = ${local}`,
    `SUBSTR(${x}, 12, 2) <= '23'`,
    `(${fraction} = '' OR (${fraction} GLOB '.[0-9]*' AND LTRIM(SUBSTR(${fraction}, 2), '0123456789') = ''))`,
    `(${zone} IN ('', 'Z', 'z') OR (${zone} GLOB '[+-][0-2][0-9]:[0-5][0-9]' AND SUBSTR(${zone}, 2, 2) <= '23'))`,
    isPlain(x),
    `TYPEOF(${x}) = 'text'`,
    `${utc} >= '0001'`,
  ]
  return `CASE
      WHEN ${isCanonical(x)} THEN ${x}
      WHEN ${isInstant.join('\n        AND ')}
        THEN ${utc} || '.' || SUBSTR(SUBSTR(${fraction}, 2) || '000000', 1, 6) || '+00:00'
    END`
}

/** A version 4 UUID out of random bytes. */
const UUID =
  "LOWER(HEX(RANDOMBLOB(4)) || '-' || HEX(RANDOMBLOB(2)) || '-4' || SUBSTR(HEX(RANDOMBLOB(2)), 2) || '-' || SUBSTR('89AB', 1 + (RANDOM() & 3), 1) || SUBSTR(HEX(RANDOMBLOB(2)), 2) || '-' || HEX(RANDOMBLOB(6)))"

/** SQLite: instants are text, booleans 0 and 1. */
export const sqlite: DialectHooks = {
  typeName: { text: 'TEXT', int64: 'INTEGER', bool: 'INTEGER', timestamp: 'TIMESTAMP', timestamptz: 'TIMESTAMP' },
  parameter: () => '?',
  arrayParameter: undefined,
  arrayText: () => {
    throw new MergelawError('unsupported', 'SQLite has no arrays; run the single-row statement for each row.')
  },
  // Divergence: a UTF-16 database compares by the bytes of UTF-16, in the machine's order. RTRIM is defined for UTF-8 alone, so text is
  // converted for it; what it ignores, spaces at the end, cannot stand there behind U+0000. https://sqlite.org/datatype3.html#collation
  bytes: (operand) => `(${operand} || CHAR(0)) COLLATE RTRIM`,
  moment,
  instant,
  // The text of an instant begins with its local date, which is at most a day away: so far an index on the text serves.
  atOrAfter: (operand, since) => `(${operand} >= DATE(${since()}, '-1 day') AND ${instant(operand)} >= ${since()})`,
  // GLOB is as fast as LIKE, case counts, and '_' is a plain letter.
  mentions: (operand, text) => `(${operand} GLOB ${quoteText(`*${text}*`)} OR ${operand} GLOB '*\\u00[${escapeDigits(text)}]*')`,
  plainText: (operand) => `CASE WHEN TYPEOF(${operand}) = 'text' AND INSTR(${operand}, CHAR(0)) = 0 THEN ${operand} END`,
  text: quoteText,
  uuid: UUID,
  temporary: 'temp',
  prepareDocuments: undefined,
  documents: sqliteDocuments,
  read: (operand) => operand,
  // Joined, and not concatenated: V8 keeps that as a tree of its pieces, which takes a driver twice as long to read.
  encodeInstant: (instant) => [instant.slice(0, 10), ' ', instant.slice(11, -1), '+00:00'].join(''),
}
