/** Names for tables, columns and indexes: legal in both databases, and as hostile to a printer as they come. */
import fc from 'fast-check'

const MAX_BYTES = 63
const bytes = (text: string): number => new TextEncoder().encode(text).length

/** One name for each way a printer can go wrong: quoting, keywords, placeholders, comments, inherited object members, width, case. */
export const HOSTILE_NAMES: readonly string[] = [
  ...['a"b', '"', '""', '"; DROP TABLE x; --', "it's", "'", '`', '[x]', '\\', '\\"'], // quotes
  ...['select', 'order', 'table', 'user', 'NULL', 'default', 'values', 'current_timestamp', 'true', 'natural', 'value'], // words
  ...['$1', '$$', '?', '?1', ':a', '@a', '%s', '%I', '{0}', '$\u007Bx}', '$body$'], // placeholders
  ...['-- x', '/* x', '*/', ';', 'a;b', 'a.b', 'a,b', '(a)', 'a b', ' ', ' a', 'a ', 'a\nb', 'a\tb', '\r'], // tokens, white space
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'valueOf'], // what every object inherits
  ...['estimateHours', 'UPPER', '1st', '0', '10', '-1'], // case, digits first, array indexes
  ...['rowid', '_rowid_', 'oid', 'excluded', 'stored', 'EXCLUDED', 'new', 'old'], // what databases or our statements call things
  ...['é', 'e\u0301', 'ß', 'İ', 'ı', '列', '🜁', '\uFFFD', '\u202E', '\u200B', '\uFEFF', 'ÀB'], // beyond ASCII
  ...['x'.repeat(63), `${'é'.repeat(31)}x`, `${'🜁'.repeat(15)}abc`, `${'"'.repeat(63)}`], // 63 bytes exactly
]

/** Cuts at a character, so that no name is longer than PostgreSQL's 63 bytes and none is empty. */
const legal = (text: string): string => {
  let name = ''
  for (const character of text.toWellFormed().replaceAll('\0', '\uFFFD')) {
    if (bytes(name + character) > MAX_BYTES) break
    name += character
  }
  return name === '' ? '_' : name
}

/** What `defineContract` refuses by name gets a letter more, so that building a name never has to throw one away. */
const FORBIDDEN = /^(?:tableoid|xmin|cmin|xmax|cmax|ctid)$/i
const FORBIDDEN_TABLE = /^(?:excluded|stored|new|old)$|^(?:sqlite_|pg_)/i

export const columnName = (): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_NAMES) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map(legal) },
      { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c', 'model') },
    )
    .map((name) => (FORBIDDEN.test(name) ? legal(`_${name}`) : name))

export const tableName = (): fc.Arbitrary<string> =>
  columnName().map((name) => (FORBIDDEN_TABLE.test(name) ? legal(`_${name}`) : name))

/** How SQLite compares names, quoted ones included: ASCII letters without case. */
export const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Distinct names for the columns of one table. */
export const columnNames = (count: number): fc.Arbitrary<readonly string[]> =>
  fc.uniqueArray(columnName(), { minLength: count, maxLength: count, selector: folded }) // as many as the contract has columns
