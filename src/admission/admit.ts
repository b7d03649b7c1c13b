import * as E from 'fp-ts/lib/Either.js'
import type { Expectation, RunMeta } from './codec.ts'
import { type Refusal, type RefusalCode, refusal } from './refusal.ts'
import { ADMITTED_STATUSES, type AdmittedStatus, isAdmittedStatus, statusRefusal } from './status.ts'

/** A saved run that may be continued or copied. */
export type Admitted = Readonly<{ ref: string; status: AdmittedStatus; meta: RunMeta }>

/** The decision, as a type: the preparation routes take it as a value, so that a test can plant a wrong one. */
export type Decide = (meta: RunMeta, expectation: Expectation) => E.Either<Refusal, Admitted>

/** A value of the wrong type never equals anything, so two absent values do not agree with each other either. */
const sameText = (found: unknown, wanted: unknown): boolean => typeof wanted === 'string' && found === wanted
const sameOwner = (found: unknown, wanted: unknown): boolean => wanted !== '' && sameText(found, wanted)
const sameList = (found: unknown, wanted: unknown): boolean =>
  Array.isArray(found) &&
  Array.isArray(wanted) &&
  found.length === wanted.length &&
  wanted.every((item: unknown, at) => sameText(found[at], item))

type Field = Exclude<keyof Expectation, symbol>
type Check = readonly [RefusalCode, Field, (found: unknown, wanted: unknown) => boolean]

/** The identity, in the order in which it is checked. The order is a contract: the first difference is reported. */
const IDENTITY: readonly Check[] = [
  ['owner', 'parentSession', sameOwner],
  ['workspace', 'workspaceRoot', sameText],
  ['persona', 'systemPromptHash', sameText],
  ['kind', 'kind', sameText],
  ['kind', 'name', sameText],
  ['model', 'model', sameText],
  ['effort', 'effort', sameText],
  ['tool-scope', 'toolScope', sameList],
  ['tool-schema', 'toolSchemaHash', sameText],
]

/**
 * Decides whether a saved run may be continued or copied. Use it before anything of the run is prepared.
 *
 * Pure and total: it reads nothing but its arguments and throws for none. The status comes first, by exact comparison with
 * `completed` and `cancelled`; then owner, workspace, persona, kind and name, model, effort, tool scope (an ordered list) and
 * tool schema. Left is the first refusal, as data; Right names the run. Source: the status admission contract.
 */
export const admit: Decide = (givenMeta, givenExpectation) => {
  // A JavaScript caller may have neither: no record has no status, and no expectation agrees with no identity.
  const meta: RunMeta = givenMeta ?? {}
  const expectation: Partial<Expectation> = givenExpectation ?? {}
  const ref = typeof meta.ref === 'string' ? meta.ref : ''
  const { status } = meta
  if (!isAdmittedStatus(status)) return E.left(refusal(statusRefusal(status), ref, status, ADMITTED_STATUSES))
  const failed = IDENTITY.find(([, field, same]) => !same(meta[field], expectation[field]))
  if (failed === undefined) return E.right(Object.freeze({ ref, status, meta }))
  const [code, field] = failed
  return E.left(refusal(code, ref, meta[field], expectation[field]))
}
