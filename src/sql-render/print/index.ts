import type { DialectHooks } from './dialect.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

/** Every dialect the printer speaks. A new one is a new record of hooks. */
export const DIALECTS = { sqlite, postgres } as const satisfies Record<string, DialectHooks>
export type DialectName = keyof typeof DIALECTS

export type { DialectHooks } from './dialect.ts'
export { type Printed, printStatement } from './statement.ts'
