import { MergelawError } from '../errors/index.ts'
import { isSessionId, quoted } from './names.ts'
import type { Records, RunRecord } from './records.ts'
import { isStatusRefusal, type Refusal } from './refusal.ts'

/**
 * The ancestors of a session, nearest first, read from the branch files up to the first session.
 *
 * Throws `lineage` for a missing or malformed branch file, one that names another session, a parent that is not a bare name,
 * and a cycle: an unverified lineage admits nobody.
 */
export function ancestorsOf(session: string, records: Records): readonly string[] {
  const ancestors: string[] = []
  const seen = new Set([session])
  for (let { parentSession } = records.branch(session); parentSession !== null; ) {
    const why = isSessionId(parentSession) ? seen.has(parentSession) && 'is its own ancestor' : 'is not a session id'
    if (why !== false) {
      const message = `The lineage of session ${quoted(session)} cannot be verified: ancestor ${quoted(parentSession)} ${why}`
      throw new MergelawError('lineage', message, { details: { session, ancestor: parentSession } })
    }
    seen.add(parentSession)
    ancestors.push(parentSession)
    parentSession = records.branch(parentSession).parentSession
  }
  return ancestors
}

/** True when the record was copied from `source`, directly or over other copies. A broken or circular chain is no proof. */
function derivesFrom(record: RunRecord, source: string, byRef: ReadonlyMap<string, RunRecord>): boolean {
  const seen = new Set<string>()
  let from = record.meta.forkedFrom
  while (from && !seen.has(from)) {
    if (from === source) return true
    seen.add(from)
    from = byRef.get(from)?.meta.forkedFrom
  }
  return false
}

/** What stands against a run as a source of the current request; null: it is admitted. */
export type RefusalOf = (run: RunRecord) => Refusal | null

/**
 * The nearest source of a continuation: the requested run, or the copy of it, that the nearest ancestor owns.
 *
 * Null when no ancestor owns one. Where one ancestor owns several, the decision comes first: the one that is admitted is taken,
 * several are `ambiguous` (none of them is a guess away), and without any the caller meets the refusal, of the status if there is
 * one.
 */
export function nearestSource(
  requested: string,
  ancestors: readonly string[],
  runs: readonly RunRecord[],
  refusalOf: RefusalOf,
): RunRecord | null {
  const byRef = new Map(runs.map((run) => [run.ref, run]))
  for (const ancestor of ancestors) {
    const owned = runs.filter(({ meta }) => meta.parentSession === ancestor)
    const candidates = owned.filter((run) => run.ref === requested || derivesFrom(run, requested, byRef))
    const judged = candidates.map((run) => ({ run, refused: refusalOf(run) }))
    const admitted = judged.filter(({ refused }) => refused === null)
    if (admitted.length > 1) {
      const several = admitted.map(({ run }) => run)
      throw ambiguous(requested, ancestor, several)
    }
    const found = admitted[0] ?? judged.find(({ refused }) => refused !== null && isStatusRefusal(refused)) ?? judged[0]
    if (found !== undefined) return found.run
  }
  return null
}

/**
 * The copies that a session holds of a request: those made of its nearest source; without any, those that derive from the
 * requested run in another way, so that what a session has done is not left behind when an ancestor makes a copy of its own.
 */
export function copiesOf(requested: string, source: string, session: string, runs: readonly RunRecord[]): readonly RunRecord[] {
  const own = runs.filter(({ ref, meta }) => meta.parentSession === session && ref !== requested)
  const direct = own.filter(({ meta }) => meta.forkedFrom === source)
  if (direct.length > 0) return direct
  const byRef = new Map(runs.map((run) => [run.ref, run]))
  return own.filter((run) => derivesFrom(run, requested, byRef))
}

/** The error for several runs where one is needed: it names them, and the way out. */
export function ambiguous(requested: string, session: string, candidates: readonly RunRecord[]): MergelawError {
  const refs = candidates.map(({ ref }) => ref)
  const message = `Session ${quoted(session)} holds ${refs.length} runs that stand for ${quoted(requested)}: ${refs.join(', ')}. Name one of them`
  return new MergelawError('ambiguous', message, { details: { ref: requested, session, refs } })
}
