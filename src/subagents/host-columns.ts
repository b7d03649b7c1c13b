import { MergelawError } from '../errors/index.ts'
import type { ObservedTable } from './observe.ts'

/** Types that would be read wrongly, or not at all; SQLite's columns may have any, since its values are looked at one by one. */
const REFUSED = [
  {
    columns: ['created_at', 'updated_at'],
    type: /\bwith time zone$/,
    // A cast to a timestamp would take the session's time zone, and the rows would be hours off.
    wanted: "timestamp without time zone, in UTC: ALTER COLUMN … TYPE timestamp USING … AT TIME ZONE 'UTC'",
  },
  { columns: ['metadata'], type: /^jsonb?$/, wanted: 'text: ALTER COLUMN … TYPE text' },
] as const

/**
 * Refuses a host's messages whose columns have a type that the backfill cannot read, before it reads any.
 *
 * Throws MergelawError `unsupported`, naming table, column and type. Nothing of the host's is changed.
 */
export const requireReadableColumns = ({ table, columns }: ObservedTable): void => {
  for (const { columns: names, type: refused, wanted } of REFUSED) {
    const odd = columns.find(({ name, type }) => names.some((one) => one === name) && refused.test(type))
    if (odd === undefined) continue
    throw new MergelawError(
      'unsupported',
      `The host's column ${table}.${odd.name} is ${odd.type}, which the backfill does not read. It must be ${wanted}.`,
      { details: { table, column: odd.name, type: odd.type } },
    )
  }
}
