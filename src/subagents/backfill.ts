import { readInstant, readInt64, readText } from '../adapters/decode.ts'
import { execute, type Program, query, type SqlRow, script } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { SKIP_REASONS, type SkipReason } from '../rules/index.ts'
import { type Printed, renderBackfill } from '../sql-render/index.ts'
import { subagentContexts } from './contract.ts'
import { keyTextOf } from './keys.ts'
import { subagentProjection } from './projection.ts'

/** What a backfill did, counted in messages; `qualifying = inserted + alreadyPresent + skipped.superseded`. */
export interface BackfillReport {
  /** All messages there are. */
  readonly scanned: number
  /** Those whose metadata may hold a subagent task, by its text. */
  readonly candidates: number
  /** Candidates that satisfy AC-21's predicate. */
  readonly qualifying: number
  /** New rows. */
  readonly inserted: number
  /** Keys that had a row before, which stays as it was (AC-22). */
  readonly alreadyPresent: number
  /** The other candidates, by why they yield no row of their own. */
  readonly skipped: Readonly<Record<SkipReason, number>>
}

/** The report, and the high-water mark for AC-24's key. */
export interface Backfilled extends BackfillReport {
  /** The newest qualifying message's instant, RFC 3339 with nine digits; `''` when none qualified (AC-24f). */
  readonly through: string
}

/**
 * The backfill's statements for a dialect (AC-21 to AC-23b): candidates are staged once, `MAX` is taken over them, then they are
 * inserted, so that the key can never name an instant that the insert did not cover (AC-24d).
 *
 * No transaction and no keys: run it inside `transaction(…)`, under the activation lock. Leaves no table or function in the database.
 */
export const backfillSteps = (dialect: Dialect): (() => Program<Backfilled>) => {
  const sql = renderBackfill(subagentContexts, subagentProjection, dialect)
  const ask = <R>(name: string, { sql: text }: Printed, decode: (row: SqlRow) => R) =>
    query(`backfill: ${name}`, text, [], decode)
  return function* () {
    if (sql.prepare !== undefined) yield* script('backfill: prepare', sql.prepare)
    yield* script('backfill: clear', sql.unstage.sql)
    yield* script('backfill: stage candidates', sql.stage.sql)
    const [newest] = yield* ask('newest candidate', sql.newest, (row) => ({
      through: readInstant(row, 0),
      keys: countAt(row, 1),
    }))
    const inserted = yield* execute('backfill: insert', sql.insert.sql, [])
    const reasons = yield* ask('count candidates', sql.reasons, (row) => [readText(row, 0), countAt(row, 1)] as const)
    const [scanned = 0] = yield* ask('count messages', sql.scanned, (row) => countAt(row, 0))
    yield* script('backfill: drop candidates', sql.unstage.sql)
    const { through = null, keys = 0 } = newest ?? {}
    return { ...reportOf(scanned, inserted, keys, new Map(reasons)), through: through === null ? '' : keyTextOf(through) }
  }
}

const countAt = (row: SqlRow, at: number): number => Number(readInt64(row, at) ?? 0n)

const reportOf = (
  scanned: number,
  inserted: number,
  keys: number,
  reasons: ReadonlyMap<string | null, number>,
): BackfillReport => {
  const qualifying = reasons.get(null) ?? 0
  const counts = SKIP_REASONS.map(
    (reason) => [reason, reason === 'superseded' ? qualifying - keys : (reasons.get(reason) ?? 0)] as const,
  )
  return {
    scanned,
    candidates: [...reasons.values()].reduce((total, messages) => total + messages, 0),
    qualifying,
    inserted,
    alreadyPresent: keys - inserted,
    // fromEntries loses the names; they are SKIP_REASONS, each once.
    skipped: Object.fromEntries(counts) as Record<SkipReason, number>,
  }
}
