/** The run store as commands for fast-check, beside a model that says what a crash may leave. */
import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { createLocks, openRunStore, type PreparedRun, type RunStore } from '../../../src/admission/index.ts'
import { CRASH, type CrashPoint, type Disk, mortalDisk, STAGES } from './crash.ts'
import { admittedRun, identity, runsIn, transcriptFile, writeBranch } from './stores.ts'

/** What lies on disk under one reference; null where there is no such file. */
type State = Readonly<{ status: string | null; transcript: string | null }>
const NOTHING: State = { status: null, transcript: null }

/** What was acknowledged, per reference. Between commands the disk holds exactly this. */
export type Model = Map<string, State>

/** How a store is opened, and whether its disk replaces files as a whole: the two things a mutant changes. */
export type StoreSubject = Readonly<{ isAtomic: boolean; open: typeof openRunStore }>
export const REAL_STORE: StoreSubject = { isAtomic: true, open: openRunStore }

/** The process, as it is now, and the folder that outlives it. */
export type World = {
  readonly folder: string
  readonly subject: StoreSubject
  disk: Disk
  store: RunStore
  held: PreparedRun[]
  nextRef: number
  /** How often it died, by the place where it did: a model that never crashes would prove nothing. */
  readonly deaths: Map<string, number>
}

export function newWorld(folder: string, subject: StoreSubject, deaths: World['deaths']): World {
  writeBranch(folder, 'parent', null)
  writeBranch(folder, 'child', 'parent')
  const disk = mortalDisk(subject.isAtomic)
  const world = { folder, subject, disk, store: openRunStore(runsIn(folder)), held: [], nextRef: 0, deaths }
  reopen(world)
  return world
}

/** A new process: no locks, no prepared runs, a disk that works. */
function reopen(world: World): void {
  world.held = []
  world.disk = mortalDisk(world.subject.isAtomic)
  const newRef = (): string => `sa_${world.nextRef++}`
  world.store = world.subject.open(runsIn(world.folder), { files: world.disk.files, locks: createLocks(), newRef })
}

const isAdmitted = ({ status }: State): boolean => status === 'completed' || status === 'cancelled'

/** What a fresh process finds: the listed records, and any transcript under a known reference. */
function found(folder: string, known: Iterable<string>): Model {
  const { runs, malformed } = openRunStore(runsIn(folder), { locks: createLocks() }).list()
  const [fault] = malformed
  if (fault !== undefined) throw fault
  const statuses = new Map(runs.map(({ ref, meta }) => [ref, String(meta.status)]))
  const refs = new Set([...known, ...statuses.keys()])
  return new Map([...refs].map((ref) => [ref, { status: statuses.get(ref) ?? null, transcript: transcriptOf(folder, ref) }]))
}

function transcriptOf(folder: string, ref: string): string | null {
  const file = transcriptFile(folder, ref)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

const shown = (state: State | undefined): string => JSON.stringify(state ?? NOTHING)

/** Compares the disk with what may be there: what was acknowledged for every reference, one of `allowed` for `ref`. */
function settle(world: World, model: Model, ref: string, allowed: readonly State[]): void {
  const disk = found(world.folder, [...model.keys(), ref])
  const state = disk.get(ref) ?? NOTHING
  const fits = allowed.map(shown)
  if (!fits.includes(shown(state))) throw new Error(`${ref} is ${shown(state)}; allowed: ${fits.join(' or ')}`)
  model.set(ref, state)
  for (const [other, now] of disk) {
    if (shown(now) !== shown(model.get(other))) throw new Error(`${other} was ${shown(model.get(other))}, is ${shown(now)}`)
  }
}

/** One writing operation: what it does, what it ends in, and what a crash may leave besides the state before and after it. */
type Operation = Readonly<{ ref: string; run: () => void; after: State; between: readonly State[] }>

/** Runs one operation, with the crash armed; afterwards the disk is what the operation promised, or may have left. */
function operate(world: World, model: Model, crash: CrashPoint | null, name: string, op: Operation): void {
  const before = model.get(op.ref) ?? NOTHING
  world.disk.arm(crash)
  try {
    op.run()
  } catch (error) {
    if (error !== CRASH) throw error
    const place = `${name}, write ${crash?.write}, ${crash?.stage}`
    world.deaths.set(place, (world.deaths.get(place) ?? 0) + 1)
    reopen(world)
    settle(world, model, op.ref, [before, ...op.between, op.after])
    return
  }
  world.disk.arm(null)
  settle(world, model, op.ref, [op.after])
}

type Save = 'saveCompleted' | 'saveCancelled' | 'saveFailed'
const STATUS: Readonly<Record<Save, string>> = { saveCompleted: 'completed', saveCancelled: 'cancelled', saveFailed: 'failed' }

type Command = fc.Command<Model, World>

/** The held run that an arbitrary number stands for. */
const pick = (world: World, at: number): PreparedRun | undefined => world.held[at % Math.max(1, world.held.length)]

const command = (name: string, run: (model: Model, world: World) => void): Command => ({
  check: () => true,
  run,
  toString: () => name,
})

const OWNERS = ['parent', 'child'] as const

const fresh = (owner: (typeof OWNERS)[number]): Command =>
  command(`fresh(${owner})`, (_model, world) => void world.held.push(world.store.prepareFresh(identity(owner))))

const markRunning = (at: number, crash: CrashPoint | null): Command =>
  command(`markRunning(${at}, ${JSON.stringify(crash)})`, (model, world) => {
    const run = pick(world, at)
    if (run === undefined) return
    unused.delete(run)
    const after = { status: 'running', transcript: model.get(run.ref)?.transcript ?? null }
    operate(world, model, crash, 'markRunning', { ref: run.ref, run: () => world.store.markRunning(run), after, between: [] })
  })

const save = (method: Save, at: number, transcript: string, crash: CrashPoint | null): Command =>
  command(`${method}(${at}, ${JSON.stringify(transcript)}, ${JSON.stringify(crash)})`, (model, world) => {
    const run = pick(world, at)
    if (run === undefined) return
    unused.delete(run)
    const before = model.get(run.ref) ?? NOTHING
    // While it is being replaced, a transcript lies under a record that is not admitted, or under none.
    const status = before.status === null ? null : 'running'
    const between = [
      { ...before, status },
      { status, transcript },
    ]
    const after = { status: STATUS[method], transcript }
    operate(world, model, crash, method, { ref: run.ref, run: () => world.store[method](run, transcript), after, between })
  })

const release = (at: number): Command =>
  command(`release(${at})`, (model, world) => {
    const run = pick(world, at)
    if (run === undefined) return
    const isUnusedCopy = run.forkedFrom !== null && unused.has(run)
    run.release()
    world.held = world.held.filter((other) => other !== run)
    settle(world, model, run.ref, [isUnusedCopy ? NOTHING : (model.get(run.ref) ?? NOTHING)])
  })

/** Copies that nothing was written to since they were made: their release takes them away. */
const unused = new WeakSet<PreparedRun>()

/** The references that the decision would admit for this session, by the model alone. */
const admissible = (model: Model, world: World, owner: string): readonly string[] => {
  const busy = new Set(world.held.map(({ ref }) => ref))
  return [...model]
    .filter(([ref, state]) => isAdmitted(state) && !busy.has(ref) && ownerOf(world, ref) === owner)
    .map(([ref]) => ref)
}
const ownerOf = (world: World, ref: string): unknown => world.store.load(ref).meta.parentSession

const continueRun = (owner: (typeof OWNERS)[number], at: number): Command =>
  command(`continue(${owner}, ${at})`, (model, world) => {
    const refs = admissible(model, world, owner)
    const ref = refs[at % Math.max(1, refs.length)]
    if (ref === undefined) return
    const run = admittedRun(world.store.prepareContinue(ref, identity(owner)))
    if (Buffer.from(run.transcript).toString() !== model.get(ref)?.transcript) throw new Error(`${ref} has another transcript`)
    world.held.push(run)
  })

const copyRun = (at: number, crash: CrashPoint | null): Command =>
  command(`copy(${at}, ${JSON.stringify(crash)})`, (model, world) => {
    const sources = admissible(model, world, 'parent')
    const source = sources[at % Math.max(1, sources.length)]
    if (source === undefined) return
    const make = (): void => {
      const run = admittedRun(world.store.prepareCopy(source, identity('child')))
      unused.add(run)
      world.held.push(run)
    }
    const transcript = model.get(source)?.transcript ?? null
    const after = { status: 'running', transcript }
    operate(world, model, crash, 'copy', {
      ref: `sa_${world.nextRef}`,
      run: make,
      after,
      between: [{ status: null, transcript }],
    })
  })

/** What a new process does with the runs that the old one left. */
const cleanUp = (at: number, crash: CrashPoint | null): Command =>
  command(`markInterrupted(${at}, ${JSON.stringify(crash)})`, (model, world) => {
    const busy = new Set(world.held.map(({ ref }) => ref))
    const left = [...model].filter(([ref, { status }]) => status === 'running' && !busy.has(ref)).map(([ref]) => ref)
    const ref = left[at % Math.max(1, left.length)]
    if (ref === undefined) return
    const after = { status: 'interrupted', transcript: model.get(ref)?.transcript ?? null }
    operate(world, model, crash, 'markInterrupted', { ref, run: () => void world.store.markInterrupted(ref), after, between: [] })
  })

const crashPoint = fc.record({ write: fc.nat({ max: 2 }), stage: fc.constantFrom(...STAGES) })
/** Three operations in four end well: a store that always dies is never looked at for what it acknowledged. */
const maybe = fc.option(crashPoint, { freq: 3, nil: null }).chain((point) => fc.nat({ max: 1 }).map((no) => (no ? null : point)))
const index = fc.nat({ max: 5 })
const owner = fc.constantFrom(...OWNERS)

export const commands = fc.commands(
  [
    owner.map(fresh),
    fc.tuple(index, maybe).map(([at, crash]) => markRunning(at, crash)),
    fc
      .tuple(fc.constantFrom<Save>('saveCompleted', 'saveCompleted', 'saveCancelled', 'saveFailed'), index, fc.string(), maybe)
      .map(([method, at, transcript, crash]) => save(method, at, transcript, crash)),
    fc.tuple(owner, index).map(([who, at]) => continueRun(who, at)),
    fc.tuple(index, maybe).map(([at, crash]) => copyRun(at, crash)),
    fc.tuple(index, maybe).map(([at, crash]) => cleanUp(at, crash)),
    index.map(release),
  ],
  { size: '+1' },
)
