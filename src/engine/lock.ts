import { type Program, script } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { TAKE_LOCK } from '../sql-render/print/activation.ts'

/** The first step of every transaction that may create or change tables; the lock is free again when the transaction ends. */
export function* takeLock(dialect: Dialect): Program<void> {
  const lock = TAKE_LOCK[dialect]
  if (lock !== undefined) yield* script('take the activation lock', lock)
}
