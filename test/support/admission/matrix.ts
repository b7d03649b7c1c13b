/** The matrices of the admission contract, as functions that return what failed: a planted wrong implementation must fail some. */
import { readdirSync, readFileSync } from 'node:fs'
import {
  createLocks,
  type Expectation,
  type LockTable,
  type Preparation,
  type RefusalCode,
  type Routes,
} from '../../../src/admission/index.ts'
import { createRoutes } from '../../../src/admission/routes.ts'
import { createCore } from '../../../src/admission/run-store.ts'
import { CURRENT, callRoute, type Scenario, scenarios } from './scenarios.ts'
import { alter, hashes, identity, inCopyOf, runsIn, TRANSCRIPT, transcriptFile } from './stores.ts'

/** An implementation to judge: it opens the routes of a directory, over the given locks. */
export type Subject = (dir: string, locks: LockTable) => Routes

export const REAL: Subject = (dir, locks) => createRoutes(createCore(dir, { locks }))

/** A status on disk and what must come of it; null: admitted. `undefined` means that the field is missing. */
export type Shape = Readonly<{ name: string; status: unknown; code: RefusalCode | null }>

const shape = (name: string, status: unknown, code: RefusalCode | null): Shape => ({ name, status, code })

/** The shapes that the contract names. The last five are the known states: the controls. */
export const SHAPES: readonly Shape[] = [
  shape('missing', undefined, 'status-missing'),
  shape('null', null, 'status-missing'),
  shape('number', 1, 'status-unknown'),
  shape('empty', '', 'status-empty'),
  shape('spaces', '   ', 'status-unknown'),
  shape('Completed', 'Completed', 'status-unknown'),
  shape('COMPLETED', 'COMPLETED', 'status-unknown'),
  shape('completed with a space', 'completed ', 'status-unknown'),
  shape('paused', 'paused', 'status-unknown'),
  shape('running', 'running', 'status-running'),
  shape('failed', 'failed', 'status-failed'),
  shape('interrupted', 'interrupted', 'status-interrupted'),
  shape('completed', 'completed', null),
  shape('cancelled', 'cancelled', null),
]

/** Shapes that an attacker, or a careless comparison, would try. */
export const HOSTILE_SHAPES: readonly Shape[] = [
  ['completed'],
  { status: 'completed' },
  true,
  0,
  12345678901234567890n.toString(),
  'cancelled\n',
  '\tcancelled',
  'canceled',
  'completed\u0000',
  '\uFEFFcompleted',
  'completed\u200B',
  'ｃｏｍｐｌｅｔｅｄ',
  'ⅽompleted',
  '\u0441ompleted',
  'Cancelled',
  'completed,cancelled',
  'complete',
  'completedly',
  'toString',
  '__proto__',
].map((status) => shape(JSON.stringify(status), status, 'status-unknown'))

const describe = (result: Preparation | Error): string => {
  if (result instanceof Error) return `thrown: ${result.message}`
  return result._tag === 'Left' ? `refused: ${result.left.code}` : 'admitted'
}

/** What every refusal must leave behind: the same bytes, the same names, and every run free to be locked at once. */
function traces(folder: string, before: Readonly<Record<string, string>>, locks: LockTable): string[] {
  const after = hashes(folder)
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => before[name] !== after[name])
  const refs = new Set(readdirSync(runsIn(folder)).map((name) => name.replace(/\..*$/, '')))
  const held = [...refs].filter((ref) => locks.isTaken(runsIn(folder), ref))
  return [...changed.map((name) => `${name} has changed`), ...held.map((ref) => `${ref} is still locked`)]
}

/** What an admitted run must hold, and what its release must give back. */
function admittedFaults(result: Preparation | Error, scenario: Scenario, folder: string, locks: LockTable): string[] {
  if (result instanceof Error || result._tag === 'Left') return [`wanted: admitted, got ${describe(result)}`]
  const run = result.right
  const faults: string[] = []
  if (Buffer.compare(run.transcript, TRANSCRIPT) !== 0) faults.push('the transcript is not the one that was saved')
  if (!locks.isTaken(runsIn(folder), run.ref)) faults.push('the admitted run is not locked')
  if (scenario.makesCopy === (run.ref === scenario.subject)) faults.push(`the run is ${run.ref}`)
  if (scenario.makesCopy && Buffer.compare(readFileSync(transcriptFile(folder, run.ref)), TRANSCRIPT) !== 0)
    faults.push('no copy')
  run.release()
  return faults
}

/** One cell: alters a copy of the scenario, opens a new store on it, and calls the route twice. */
const cell = (subject: Subject, scenario: Scenario, { status, code }: Shape): string[] =>
  inCopyOf(scenario.folder, (folder) => {
    alter(folder, scenario.subject, { status, fromTheFuture: { kept: [1.5, null] } })
    const before = hashes(folder)
    const locks = createLocks()
    const routes = subject(runsIn(folder), locks)
    const first = callRoute(routes, scenario, identity(CURRENT))
    if (code === null) return [...admittedFaults(first, scenario, folder, locks), ...traces(folder, before, locks)]
    const faults = [...refusalFaults(first, code, scenario.subject), ...traces(folder, before, locks)]
    // The status comes first: with every identity field wrong as well, the answer is the same. It also needs the locks back.
    const other = identity(CURRENT, { workspaceRoot: '/elsewhere', kind: 'skill', model: 'other', toolScope: [] })
    const second = callRoute(routes, scenario, other)
    return [...faults, ...refusalFaults(second, code, scenario.subject), ...traces(folder, before, locks)]
  })

function refusalFaults(result: Preparation | Error, code: RefusalCode, ref: string): string[] {
  if (result instanceof Error || result._tag === 'Right') return [`wanted: ${code}, got ${describe(result)}`]
  const { left } = result
  const isWhole = left.ref === ref && left.advice.includes(ref) && left.found !== undefined && left.wanted !== undefined
  return left.code === code && isWhole ? [] : [`wanted: ${code} for ${ref}, got ${JSON.stringify(left)}`]
}

/** Every status shape on every route, on real files: what is wrong, one line each, found as it is asked for. */
export function* statusFailures(
  subject: Subject = REAL,
  shapes: readonly Shape[] = [...SHAPES, ...HOSTILE_SHAPES],
): Generator<string> {
  for (const scenario of scenarios()) {
    for (const one of shapes) yield* cell(subject, scenario, one).map((fault) => `${scenario.route} × ${one.name}: ${fault}`)
  }
}

/** One field of the identity, a different value for it, and the code that must come of it. */
export type Difference = readonly [field: keyof Expectation, value: string | string[] | undefined, code: RefusalCode]

export const DIFFERENCES: readonly Difference[] = [
  ['parentSession', 'stranger', 'owner'],
  ['parentSession', 'Current', 'owner'],
  ['parentSession', '', 'owner'],
  ['parentSession', undefined, 'owner'],
  ['workspaceRoot', '/home/me/project/', 'workspace'],
  ['workspaceRoot', undefined, 'workspace'],
  ['systemPromptHash', 'sha256:Persona', 'persona'],
  ['kind', 'skill', 'kind'],
  ['name', 'researcher ', 'kind'],
  ['model', 'DeepSeek-Chat', 'model'],
  ['model', undefined, 'model'],
  ['effort', '', 'effort'],
  ['toolScope', ['grep', 'read', 'bash'], 'tool-scope'],
  ['toolScope', ['read', 'grep'], 'tool-scope'],
  ['toolScope', ['read', 'grep', 'bash', 'bash'], 'tool-scope'],
  ['toolScope', undefined, 'tool-scope'],
  ['toolSchemaHash', 'sha256:other', 'tool-schema'],
]

/** Each identity field differing alone, on each route: the record is altered on disk, the expectation is the usual one. */
export function* identityFailures(subject: Subject = REAL): Generator<string> {
  for (const scenario of scenarios()) {
    for (const difference of DIFFERENCES) {
      const where = `${scenario.route} × ${difference[0]}=${JSON.stringify(difference[1])}`
      yield* identityCell(subject, scenario, difference).map((fault) => `${where}: ${fault}`)
    }
  }
}

const identityCell = (subject: Subject, scenario: Scenario, [field, value, code]: Difference): string[] =>
  inCopyOf(scenario.folder, (folder) => {
    alter(folder, scenario.subject, { [field]: value })
    const before = hashes(folder)
    const locks = createLocks()
    const result = callRoute(subject(runsIn(folder), locks), scenario, identity(CURRENT))
    // A copy that another session owns is no copy of this session: the route of reuse has nothing to decide on.
    const isNoCopy = scenario.route === 'reuse' && code === 'owner'
    const faults = isNoCopy ? notFoundFaults(result) : refusalFaults(result, code, scenario.subject)
    return [...faults, ...traces(folder, before, locks)]
  })

const notFoundFaults = (result: Preparation | Error): string[] =>
  result instanceof Error && 'code' in result && result.code === 'not-found' ? [] : [`wanted: not-found, got ${describe(result)}`]
