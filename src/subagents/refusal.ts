import { MergelawError } from '../errors/index.ts'
import type { ObservedTable } from './observe.ts'

/** Why a table is left as it is: what stands in the way, and what to do. */
export const refusal = (table: ObservedTable, what: string, advice: string): MergelawError =>
  new MergelawError('unsupported', `${table.table} cannot be upgraded: ${what}. ${advice}`, { details: { table: table.table } })
