/** The five preparation routes, each with records on a real disk that it would admit: the ground of every matrix. */
import { mkdirSync } from 'node:fs'
import type { Expectation, Preparation, Routes } from '../../../src/admission/index.ts'
import { admittedRun, finish, identity, newFolder, reopen, runsIn, savedRun, writeBranch } from './stores.ts'

export const ROUTE_NAMES = ['direct', 'copy', 'ancestor', 'legacy', 'reuse'] as const
export type RouteName = (typeof ROUTE_NAMES)[number]

/** `root` is the first session, `parent` descends from it, `current` from `parent`. `stranger` is related to none. */
export const CURRENT = 'current'

/** What a route is called with. `subject` is the record that the decision looks at: the one to alter. */
export type Scenario = Readonly<{ route: RouteName; folder: string; requested: string; subject: string; makesCopy: boolean }>

export const METHOD = {
  direct: 'prepareContinue',
  copy: 'prepareCopy',
  ancestor: 'prepareFromAncestor',
  legacy: 'prepareLegacyFork',
  reuse: 'prepareReuse',
} as const satisfies Record<RouteName, keyof Routes>

/** Calls the route; what is thrown is returned, so that a matrix can go on and report it. */
export function callRoute(routes: Routes, { route, requested }: Scenario, expectation: Expectation): Preparation | Error {
  try {
    return routes[METHOD[route]](requested, expectation)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function family(): string {
  const folder = newFolder()
  mkdirSync(runsIn(folder))
  writeBranch(folder, 'root', null)
  writeBranch(folder, 'parent', 'root')
  writeBranch(folder, CURRENT, 'parent')
  writeBranch(folder, 'stranger', null)
  return folder
}

/** Makes the records of a route with the store. An unrelated run lies beside them in every case. */
export function makeScenario(route: RouteName): Scenario {
  const folder = family()
  const store = reopen(folder)
  savedRun(store, 'stranger')
  if (route === 'direct') {
    const ref = savedRun(store, CURRENT)
    return { route, folder, requested: ref, subject: ref, makesCopy: false }
  }
  const source = savedRun(store, route === 'copy' ? 'parent' : 'root')
  if (route !== 'reuse') return { route, folder, requested: source, subject: source, makesCopy: true }
  const copy = finish(store, admittedRun(store.prepareCopy(source, identity(CURRENT))))
  return { route, folder, requested: source, subject: copy, makesCopy: false }
}

let made: readonly Scenario[] | undefined

/** One scenario per route, made once; the tests work on copies of their folders. */
export const scenarios = (): readonly Scenario[] => {
  made ??= ROUTE_NAMES.map(makeScenario)
  return made
}
