import type { Contract, Projection } from '../rules/index.ts'
import type { Statement } from './ast/index.ts'
import { lowerBackfill } from './lower/backfill.ts'
import { type HealthOptions, lowerHealth } from './lower/health.ts'
import { DIALECTS, type DialectName, type Printed, printStatement } from './print/index.ts'

/** The statements of a backfill for one dialect. Run them in this order, in one transaction. */
export interface RenderedBackfill {
  /** A script that must have run on the connection before, where the dialect needs one; it leaves nothing behind it. */
  readonly prepare: string | undefined
  readonly unstage: Printed
  /** Scans the source table once. */
  readonly stage: Printed
  /** Answers `through` and `keys`: the newest instant that qualifies (AC-24), and how many keys there are. */
  readonly newest: Printed
  readonly insert: Printed
  /** Answers a reason (NULL: none) and how many source rows have it. */
  readonly reasons: Printed
  readonly scanned: Printed
}

/**
 * The backfill of a contract's table from another one (AC-21 to AC-24): `CREATE TEMPORARY TABLE … AS SELECT …`, `SELECT MAX(…)`,
 * `INSERT … SELECT … ON CONFLICT DO NOTHING`.
 */
export const renderBackfill = (contract: Contract, projection: Projection, dialect: DialectName): RenderedBackfill => {
  const nodes = lowerBackfill(contract, projection)
  const print = (statement: Statement): Printed => printStatement(statement, DIALECTS[dialect])
  return {
    prepare: DIALECTS[dialect].prepareDocuments,
    unstage: print(nodes.unstage),
    stage: print(nodes.stage),
    newest: print(nodes.newest),
    insert: print(nodes.insert),
    reasons: print(nodes.reasons),
    scanned: print(nodes.scanned),
  }
}

/** The health queries for one dialect; each binds the instant `since`, as often as its parameters name it. */
export interface RenderedHealth {
  /** As in `RenderedBackfill`; shortfall and excess need it. */
  readonly prepare: string | undefined
  readonly shortfall: Printed
  readonly excess: Printed
  readonly newest: Printed
  readonly collisions: Printed
}

/** The health check of a contract's table against the table it could be backfilled from (AC-28, AC-29): anti-joins by `EXCEPT`. */
export const renderHealth = (
  contract: Contract,
  projection: Projection,
  dialect: DialectName,
  options: HealthOptions,
): RenderedHealth => {
  const nodes = lowerHealth(contract, projection, options)
  const print = (statement: Statement): Printed => printStatement(statement, DIALECTS[dialect])
  return {
    prepare: DIALECTS[dialect].prepareDocuments,
    shortfall: print(nodes.shortfall),
    excess: print(nodes.excess),
    newest: print(nodes.newest),
    collisions: print(nodes.collisions),
  }
}
