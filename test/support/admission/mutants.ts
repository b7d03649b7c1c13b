/** Wrong implementations of admission, one thing wrong in each. The suites must catch every one of them. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { admit, type Decide } from '../../../src/admission/admit.ts'
import type { LockTable, Preparation, Refusal, Route, Routes } from '../../../src/admission/index.ts'
import { createRoutes } from '../../../src/admission/routes.ts'
import { createCore } from '../../../src/admission/run-store.ts'
import type { Subject } from './matrix.ts'

/** The right routes over a wrong decision. */
const deciding =
  (decide: Decide): Subject =>
  (dir, locks) =>
    createRoutes(createCore(dir, { locks }), decide)

/** The right routes, with something wrong done around each call. */
const around =
  (wrap: (route: Route, dir: string, locks: LockTable) => Route): Subject =>
  (dir, locks) => {
    const { prepareContinue, prepareCopy, prepareFromAncestor, prepareLegacyFork, prepareReuse } = deciding(admit)(dir, locks)
    const wrapped = (route: Route): Route => wrap(route, dir, locks)
    const routes: Routes = {
      prepareContinue: wrapped(prepareContinue),
      prepareCopy: wrapped(prepareCopy),
      prepareFromAncestor: wrapped(prepareFromAncestor),
      prepareLegacyFork: wrapped(prepareLegacyFork),
      prepareReuse: wrapped(prepareReuse),
    }
    return routes
  }

const onRefusal =
  (then: (refused: Refusal, dir: string, locks: LockTable) => void) =>
  (route: Route, dir: string, locks: LockTable): Route =>
  (ref, expectation, call) => {
    const result: Preparation = route(ref, expectation, call)
    if (result._tag === 'Left') then(result.left, dir, locks)
    return result
  }

/** Looks at the status through `change` before the decision sees it. */
const seen =
  (change: (text: string) => string): Decide =>
  (meta, expectation) =>
    admit(typeof meta.status === 'string' ? { ...meta, status: change(meta.status) } : meta, expectation)

/** `['completed'] == 'completed'`: what a comparison with two equal signs does. */
const asText: Decide = (meta, expectation) =>
  admit({ ...meta, status: Array.isArray(meta.status) ? meta.status.join() : meta.status }, expectation)

const missingIsCompleted: Decide = (meta, expectation) => admit({ ...meta, status: meta.status ?? 'completed' }, expectation)

const onlyCompleted: Decide = (meta, expectation) =>
  admit(meta.status === 'cancelled' ? { ...meta, status: 'failed' } : meta, expectation)

const REFUSED: readonly unknown[] = ['running', 'failed', 'interrupted']

const refuseList: Decide = (meta, expectation) =>
  admit(REFUSED.includes(meta.status) ? meta : { ...meta, status: 'completed' }, expectation)

const identityFirst: Decide = (meta, expectation) => {
  const identity = admit({ ...meta, status: 'completed' }, expectation)
  return identity._tag === 'Left' ? identity : admit(meta, expectation)
}

const anyOwner: Decide = (meta, expectation) => admit({ ...meta, parentSession: expectation.parentSession }, expectation)

const unorderedScope: Decide = (meta, expectation) =>
  admit({ ...meta, toolScope: meta.toolScope?.toSorted() }, { ...expectation, toolScope: expectation.toolScope.toSorted() })

const absentIsEqual: Decide = (meta, expectation) => admit({ ...meta, model: meta.model ?? expectation.model }, expectation)

const kindWithoutName: Decide = (meta, expectation) => admit({ ...meta, name: expectation.name }, expectation)

const premature =
  (route: Route, dir: string): Route =>
  (ref, expectation, call) => {
    const copy = join(dir, 'sa_premature.jsonl')
    copyFileSync(join(dir, `${ref}.jsonl`), copy)
    return route(ref, expectation, call)
  }

const rewriteMeta = ({ ref }: Refusal, dir: string): void => {
  const file = join(dir, `${ref}.meta.json`)
  writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))))
}

const markRefused = ({ ref }: Refusal, dir: string): void => {
  const file = join(dir, `${ref}.meta.json`)
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), status: 'interrupted' }))
}

/** What is wrong, which matrix must see it, and what that matrix must say: caught for another reason is not caught. */
export type Mutant = Readonly<{ name: string; subject: Subject; caughtBy: 'status' | 'identity'; shows: string }>

const status = (name: string, shows: string, subject: Subject): Mutant => ({ name, subject, caughtBy: 'status', shows })
const ofIdentity = (name: string, shows: string, subject: Subject): Mutant => ({ name, subject, caughtBy: 'identity', shows })

export const MUTANTS: readonly Mutant[] = [
  status('a refuse-list instead of an admit-list', 'direct × paused: wanted: status-unknown, got admitted', deciding(refuseList)),
  status(
    'the status is lower-cased',
    'copy × COMPLETED: wanted: status-unknown, got admitted',
    deciding(seen((text) => text.toLowerCase())),
  ),
  status(
    'the status is trimmed',
    'reuse × completed with a space: wanted: status-unknown, got',
    deciding(seen((text) => text.trim())),
  ),
  status(
    'the status is normalised',
    '× "ｃｏｍｐｌｅｔｅｄ": wanted: status-unknown',
    deciding(seen((text) => text.normalize('NFKC'))),
  ),
  status('the status is compared as text', '× ["completed"]: wanted: status-unknown, got', deciding(asText)),
  status('a missing status counts as completed', 'ancestor × missing: wanted: status-missing', deciding(missingIsCompleted)),
  status(
    'only the beginning is compared',
    '× "completedly": wanted: status-unknown, got',
    deciding(seen((text) => text.slice(0, 9))),
  ),
  status('cancelled is not admitted', 'legacy × cancelled: wanted: admitted, got refused', deciding(onlyCompleted)),
  status('the identity comes before the status', 'direct × running: wanted: status-running for', deciding(identityFirst)),
  status('a lock leaks on refusal', 'is still locked', around(onRefusal(({ ref }, dir, locks) => void locks.take(dir, ref)))),
  status('the copy is made before the decision', 'copy × failed: subagents/sa_premature.jsonl has changed', around(premature)),
  status('the metadata is rewritten on refusal', '.meta.json has changed', around(onRefusal(rewriteMeta))),
  status('the refused record is marked', '.meta.json has changed', around(onRefusal(markRefused))),
  ofIdentity('every owner is admitted', 'direct × parentSession="stranger": wanted: owner, got admitted', deciding(anyOwner)),
  ofIdentity(
    'the tool scope is a set',
    '× toolScope=["grep","read","bash"]: wanted: tool-scope, got admitted',
    deciding(unorderedScope),
  ),
  ofIdentity('an absent model agrees with any', '× model=undefined: wanted: model, got admitted', deciding(absentIsEqual)),
  ofIdentity('the name is not compared', '× name="researcher ": wanted: kind, got admitted', deciding(kindWithoutName)),
]
