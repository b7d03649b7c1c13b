import * as E from 'fp-ts/lib/Either.js'
import { MergelawError } from '../errors/index.ts'
import { type Admitted, admit, type Decide } from './admit.ts'
import { contractOf, decodeExpectation, type Expectation } from './codec.ts'
import { type Call, checkCall, writeCopy } from './copies.ts'
import { ambiguous, ancestorsOf, copiesOf, nearestSource } from './lineage.ts'
import type { Release } from './locks.ts'
import { quoted } from './names.ts'
import type { PreparedRun } from './prepared.ts'
import type { RunRecord } from './records.ts'
import { isStatusRefusal, type Refusal, refusal } from './refusal.ts'
import type { Core } from './writer.ts'

/** Left: refused, and nothing has changed. Right: a run that holds its lock. */
export type Preparation = E.Either<Refusal, PreparedRun>
export type Route = (ref: string, expectation: Expectation, call?: Call) => Preparation

/** The five ways to a saved run. All of them take the one decision. */
export type Routes = Readonly<{
  /** Continues a run in place, in the session that owns it. */
  prepareContinue: Route
  /** Copies a run of this session, or of an ancestor, into a new run of this session. */
  prepareCopy: Route
  /** Continues an ancestor's run in this session: the one copy that is here, or else a new copy of the nearest source. */
  prepareFromAncestor: Route
  /** Turns an old `fork_from` into a continuation of an ancestor's run; inside the owning session it is refused. */
  prepareLegacyFork: Route
  /** Continues the one compatible copy of `ref` that this session has. */
  prepareReuse: Route
}>

type Context = Core & Readonly<{ decide: Decide }>
type Step = (context: Context, ref: string, expectation: Expectation, call: Call) => Preparation

/**
 * Builds the five routes over a store.
 *
 * `decide` is `admit` in every store. It is a parameter only for the tests, which plant a wrong decision to show that the matrix
 * catches it; the public entry does not reach it.
 */
export function createRoutes(core: Core, decide: Decide = admit): Routes {
  const context: Context = { ...core, decide }
  const route =
    (step: Step): Route =>
    (ref, expectation, call = {}) => {
      core.records.metaFile(ref)
      return step(context, ref, decodeExpectation(expectation), checkCall(call))
    }
  return {
    prepareContinue: route(continueRun),
    prepareCopy: route(copyRun),
    prepareFromAncestor: route(continueFromAncestor),
    prepareLegacyFork: route(convertLegacyFork),
    prepareReuse: route(
      (context, ref, expectation, call) => reuseCopy(context, ref, ref, expectation, call) ?? noCopy(ref, expectation),
    ),
  }
}

/** Runs the body under the lock of a run, and gives the lock back on every refusal and every error. */
function locked({ locks, records }: Context, ref: string, body: (release: Release) => Preparation): Preparation {
  const release = locks.take(records.dir, ref)
  try {
    const result = body(release)
    if (E.isLeft(result)) release()
    return result
  } catch (error) {
    release()
    throw error
  }
}

function continueRun(context: Context, ref: string, expectation: Expectation, call: Call): Preparation {
  const { records, handles, decide } = context
  return locked(context, ref, (release) => {
    const { meta, fields } = records.load(ref)
    const decision = decide(meta, expectation)
    if (E.isLeft(decision)) return decision
    const { parentSession } = expectation
    const run = { ref, parentSession, forkedFrom: meta.forkedFrom || null, transcript: records.transcript(ref) }
    return E.right(handles.hold(run, { first: null, patch: call, expected: [contractOf(fields)] }, release))
  })
}

function copyRun(context: Context, ref: string, expectation: Expectation, call: Call): Preparation {
  return locked(context, ref, (releaseSource) => {
    const source = context.records.load(ref)
    const decision = decideInLineage(context, source, expectation)
    if (E.isLeft(decision)) return decision
    const copy = writeCopy(context, source, expectation, call)
    releaseSource()
    return E.right(copy)
  })
}

/** Decides on a run of this session or of an ancestor: once its lineage is verified, the wanted owner is its own. */
function decideInLineage(
  { records, decide }: Context,
  { meta }: RunRecord,
  expectation: Expectation,
): E.Either<Refusal, Admitted> {
  const owner = meta.parentSession
  if (!owner || owner === expectation.parentSession) return decide(meta, expectation)
  try {
    const related = ancestorsOf(expectation.parentSession, records).includes(owner)
    return decide(meta, related ? { ...expectation, parentSession: owner } : expectation)
  } catch (error) {
    // The status comes before the owner: a lineage that cannot be verified must not hide it.
    const decision = decide(meta, expectation)
    if (E.isLeft(decision) && isStatusRefusal(decision.left)) return decision
    throw error
  }
}

function continueFromAncestor(context: Context, ref: string, expectation: Expectation, call: Call): Preparation {
  const source = sourceOf(context, ref, expectation)
  const decision = decideInLineage(context, source, expectation)
  if (E.isLeft(decision)) return decision
  if (source.meta.parentSession === expectation.parentSession) {
    const message = `Run ${quoted(ref)} belongs to this session, not to an ancestor: continue it in place`
    throw new MergelawError('lineage', message, { details: { ref, session: expectation.parentSession } })
  }
  return reuseCopy(context, ref, source.ref, expectation, call) ?? copyRun(context, source.ref, expectation, call)
}

/** The nearest source, or the requested run where there is none: the decision then says why it is not admitted. */
function sourceOf({ records, decide }: Context, ref: string, expectation: Expectation): RunRecord {
  const requested = records.load(ref)
  if (requested.meta.parentSession === expectation.parentSession) return requested
  let ancestors: readonly string[]
  try {
    ancestors = ancestorsOf(expectation.parentSession, records)
  } catch {
    // Nothing is swallowed: decideInLineage meets the same fault, and throws it unless the status is refused first.
    return requested
  }
  const refusalOf = ({ meta }: RunRecord): Refusal | null => {
    const decision = decide(meta, { ...expectation, parentSession: meta.parentSession ?? '' })
    return E.isLeft(decision) ? decision.left : null
  }
  return nearestSource(ref, ancestors, records.list().runs, refusalOf) ?? requested
}

/**
 * Continues the one compatible copy; null without any copy. A copy that is not compatible is never replaced in silence, and
 * neither is one that cannot be read: any unreadable record may be a copy, so its fault is thrown.
 */
function reuseCopy(context: Context, ref: string, source: string, expectation: Expectation, call: Call): Preparation | null {
  const { records, decide } = context
  const { runs, malformed } = records.list()
  const [fault] = malformed
  if (fault !== undefined) throw fault
  const copies = copiesOf(ref, source, expectation.parentSession, runs)
  const compatible = copies.filter(({ meta }) => E.isRight(decide(meta, expectation)))
  if (compatible.length > 1) throw ambiguous(source, expectation.parentSession, compatible)
  const copy = compatible[0] ?? copies[0]
  return copy === undefined ? null : continueRun(context, copy.ref, expectation, call)
}

function noCopy(ref: string, { parentSession }: Expectation): never {
  const message = `Session ${quoted(parentSession)} has no copy of run ${quoted(ref)}: continue it from its ancestor instead`
  throw new MergelawError('not-found', message, { details: { ref, session: parentSession } })
}

const OWN_FORK =
  'belongs to this session, where a fork cannot be converted safely. Continue it in place, or start a fresh run for other work.'

function convertLegacyFork(context: Context, ref: string, expectation: Expectation, call: Call): Preparation {
  const { meta } = context.records.load(ref)
  if (meta.parentSession !== expectation.parentSession) return continueFromAncestor(context, ref, expectation, call)
  const decision = context.decide(meta, expectation)
  if (E.isLeft(decision) && isStatusRefusal(decision.left)) return decision
  return E.left(refusal('owner', ref, meta.parentSession, 'an ancestor of this session', OWN_FORK))
}
