import { MergelawError } from '../../errors/index.ts'
import type { DialectHooks } from './dialect.ts'

/**
 * Any stored spelling of an instant as `2026-08-03 15:32:20.123456+00:00`, NULL for what is none.
 *
 * Divergence: SQLite has no timestamp type, and its own date functions round to milliseconds. So the fraction is cut off as text,
 * padded to six digits, and only the seconds and the offset go through STRFTIME.
 * https://sqlite.org/lang_datefunc.html
 */
const moment = (operand: string): string => {
  const zone = `LTRIM(SUBSTR(${operand}, 20), '.0123456789')`
  // Without a fraction the length would be -1, and SUBSTR would then take the character before.
  const fraction = `SUBSTR(${operand}, 21, MAX(0, LENGTH(${operand}) - 20 - LENGTH(${zone})))`
  return `STRFTIME('%Y-%m-%d %H:%M:%S', SUBSTR(${operand}, 1, 19) || ${zone}) || '.' || SUBSTR(${fraction} || '000000', 1, 6) || '+00:00'`
}

/** SQLite: instants are text, booleans 0 and 1, text compares by bytes already. */
export const sqlite: DialectHooks = {
  typeName: { text: 'TEXT', int64: 'INTEGER', bool: 'INTEGER', timestamp: 'TIMESTAMP', timestamptz: 'TIMESTAMP' },
  parameter: () => '?',
  arrayParameter: undefined,
  arrayText: () => {
    throw new MergelawError('unsupported', 'SQLite has no arrays; run the single-row statement for each row.')
  },
  bytes: (operand) => operand,
  moment,
  read: (operand) => operand,
  encodeInstant: (instant) => `${instant.slice(0, 10)} ${instant.slice(11, -1)}+00:00`,
}
