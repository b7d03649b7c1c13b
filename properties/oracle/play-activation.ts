/** Plays an installation on a real database beside the model, and compares them after every action. */
import { deepStrictEqual } from 'node:assert'
import { run, type Session } from '../../src/adapters/session.ts'
import {
  type ActivateOptions,
  type ActivationReport,
  activate,
  createWriter,
  health,
  KEY_NAMES,
  keyInstantOf,
  status,
  subagentContexts,
} from '../../src/subagents/index.ts'
import { endStateOf, holds, observe, toInstant } from '../../test/support/activation-internals.ts'
import { type Fault, withFault } from '../../test/support/faults.ts'
import { formerRows, formerTable, HOST_SCHEMA, type HostDatabase, keysOf } from '../../test/support/host-database.ts'
import { watching, wrapping } from '../../test/support/stepping.ts'
import { type Action, type Installation, SESSIONS } from '../arbitraries/activations.ts'
import {
  backfilled,
  isStored,
  type ModelRow,
  messageOf,
  populationOf,
  throughOf,
  upgraded,
  type World,
  withFrame,
  withoutSession,
  worldOf,
} from '../models/activation.ts'
import { healthOf } from '../models/health.ts'

/** The right activation, or a wrong one. */
export type Activate = (session: Session, options: ActivateOptions) => ActivationReport | Promise<ActivationReport>

export interface Play {
  readonly activate: Activate
  /** Changes what status and health are asked through. */
  readonly ask: (session: Session) => Session
}

const RIGHT: Play = { activate, ask: (session) => session }

type Keys = Readonly<Record<string, string>>

export const playActivation = async (
  open: () => Promise<HostDatabase>,
  { begins, actions }: Installation,
  play: Play = RIGHT,
): Promise<void> => {
  const host = await open()
  try {
    await host.exec(HOST_SCHEMA)
    if (begins === 'predecessor') await host.exec(formerTable())
    if (begins === 'between') await host.exec(formerTable({ column: 'nullable', newKey: 'constraint' }))
    if (begins !== 'host') await host.exec(formerRows(host.dialect))
    await host.exec(
      SESSIONS.map((id) => `INSERT INTO task_sessions (id, task_id) VALUES ('${id}', 'k') ON CONFLICT DO NOTHING;`).join('\n'),
    )
    await playAll(host, worldOf(begins, SESSIONS), actions, play)
  } finally {
    await host.close()
  }
}

/** A second passes with every action, and a microsecond with every look at the clock. */
const newClock = () => {
  let seconds = 0
  let micros = 0
  const text = (): string =>
    `${new Date(Date.UTC(2026, 8, 1, 0, 0, seconds)).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`
  return {
    now: (): string => {
      micros++
      return text()
    },
    tick: (): void => {
      seconds++
      micros = 0
    },
  }
}
type PlayClock = ReturnType<typeof newClock>

interface Turn {
  readonly host: HostDatabase
  readonly session: Session
  readonly clock: PlayClock
  readonly play: Play
}

const playAll = async (host: HostDatabase, start: World, actions: readonly Action[], play: Play): Promise<void> => {
  const clock = newClock()
  let world = start
  let session = host.session
  for (const [at, action] of actions.entries()) {
    clock.tick()
    try {
      const before = await keysOf(host)
      world = await act({ host, session, clock, play }, world, action)
      const isRestart = action.do === 'restart' || (action.do === 'activate' && action.fault !== null)
      // A lost connection of SQLite's is a session anew; a pool of PostgreSQL's does that by itself.
      if (isRestart && host.dialect === 'sqlite') session = host.another()
      await compare({ host, session, clock, play }, world, before)
    } catch (error) {
      throw new Error(`action ${at}, ${JSON.stringify(action)}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  }
}

const act = async (turn: Turn, world: World, action: Action): Promise<World> => {
  const { host, session, clock } = turn
  switch (action.do) {
    case 'restart':
      return world
    case 'frame': {
      const observed = clock.now()
      const stored = isStored(world, action)
      const { outcome } = await createWriter(session, { log: { warn: () => undefined } }).record(frameOf(action, observed))
      deepStrictEqual(outcome, stored ? 'persisted' : 'failed')
      return stored ? withFrame(world, action, observed) : world
    }
    case 'message': {
      if (!world.sessions.includes(action.session)) return world
      const message = messageOf(action, `m${world.messages.length}-${clock.now()}`, clock.now())
      const values = [
        message.id,
        action.session,
        message.task_id,
        'u',
        'x',
        message.metadata,
        sqlInstant(message.created_at),
        sqlInstant(message.created_at),
      ]
      const list = values.map((value) => `'${(value ?? '').replaceAll("'", "''")}'`).join(', ')
      await host.exec(
        `INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id, content, metadata, created_at, updated_at) VALUES (${list})`,
      )
      return { ...world, messages: [...world.messages, message] }
    }
    case 'delete session':
      await host.exec(`DELETE FROM task_sessions WHERE id = '${action.session}'`)
      return withoutSession(world, action.session)
    case 'write key': {
      const value = `${clock.now().slice(0, 19)}Z`
      await host.exec(
        `INSERT INTO kandev_meta (key, value) VALUES ('${KEY_NAMES[action.key]}', '${value}') ON CONFLICT (key) DO NOTHING`,
      )
      return world
    }
    case 'activate':
      return activated(turn, world, action.fault)
  }
}

const sqlInstant = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, -1)}+00:00`

const frameOf = ({ session, execution, tool }: Extract<Action, { do: 'frame' }>, observed: string): unknown => ({
  task_session_id: session,
  task_id: 'k',
  turn_id: 'u',
  execution_id: execution,
  tool_call_id: tool,
  observed_at: observed,
  normalized: { kind: 'subagent_task', subagent_task: {} },
})

const PAIR = [KEY_NAMES.captureSince, KEY_NAMES.backfillThrough] as const

/** One start: what it may have done is decided by the database, and every part of it must be what the model says. */
const activated = async ({ host, session, clock, play }: Turn, world: World, fault: Fault | null): Promise<World> => {
  const before = await keysOf(host)
  let insertedAt = ''
  let last = ''
  const watched = watching(session, ({ name }) => {
    if (last === 'backfill: insert') insertedAt = clock.now()
    last = name
  })
  const faulty = fault === null ? watched : wrapping(watched, (program) => withFault(program, fault))
  const warned: string[] = []
  const report = await play.activate(faulty, { clock, log: { warn: ({ step }) => void warned.push(step) } })
  deepStrictEqual(
    warned,
    report.steps.flatMap(({ step, outcome }) => (outcome === 'failed' ? [step] : [])),
    'AC-20: one WARN a failure',
  )
  if (fault === null)
    deepStrictEqual(
      report.steps.filter(({ outcome }) => outcome === 'failed' || outcome === 'skipped'),
      [],
      'no fault, no failure',
    )
  const keys = await keysOf(host)
  const shaped = await shapeOf(host, world)
  if (fault === null) deepStrictEqual([shaped.shape, Object.keys(keys).length], ['ours', 3], 'without a fault all is done')
  if (KEY_NAMES.executionSince in keys) deepStrictEqual(shaped.shape, 'ours', 'AC-33b: the key attests what is observed')
  return withBackfill(shaped, before, keys, insertedAt)
}

/** AC-33: the table is as it was, or ours; never half. */
const shapeOf = async (host: HostDatabase, world: World): Promise<World> => {
  const table = (await run(host.session, observe(host.dialect, [subagentContexts.table]))).get(subagentContexts.table)
  if (table === undefined) {
    deepStrictEqual(world.shape, 'none', 'the table is gone')
    return world
  }
  if (holds(endStateOf(table))) return world.shape === 'ours' ? world : upgraded(world)
  deepStrictEqual(world.shape === 'ours' || world.shape === 'none', false, 'the end state is lost')
  return world
}

/** AC-24d: the pair is completed with the rows, or nothing of it is there. */
const withBackfill = (world: World, before: Keys, keys: Keys, insertedAt: string): World => {
  const had = PAIR.filter((name) => name in before)
  const has = PAIR.filter((name) => name in keys)
  if (has.length === had.length) return world
  deepStrictEqual(has, [...PAIR], 'AC-24d: both keys or neither')
  deepStrictEqual(world.shape, 'ours', 'AC-33c: no backfill on another shape')
  if (!(KEY_NAMES.backfillThrough in before))
    deepStrictEqual(keys[KEY_NAMES.backfillThrough], throughOf(world), 'AC-24: backfill_through')
  const captured = keys[KEY_NAMES.captureSince] ?? ''
  if (!(KEY_NAMES.captureSince in before)) {
    deepStrictEqual(
      insertedAt !== '' && captured > insertedAt,
      true,
      `AC-24 point 4: ${captured} is not after the insert's end, ${insertedAt}`,
    )
  }
  return backfilled(world)
}

/** Keys, rows, population and health are what the model says. */
const compare = async (turn: Turn, world: World, before: Keys): Promise<void> => {
  const { host } = turn
  const keys = await keysOf(host)
  for (const [name, value] of Object.entries(before)) deepStrictEqual(keys[name], value, `write-once: ${name}`)
  deepStrictEqual(sorted(await rowsOf(host, world)), sorted(world.rows), 'rows')
  await comparePopulation(turn, world, keys)
  if (world.shape === 'ours' && KEY_NAMES.captureSince in keys) await compareHealth(turn, world, keys)
}

const sorted = (rows: readonly ModelRow[]): readonly string[] =>
  rows.map((row) => JSON.stringify([row.session, row.execution, row.tool, row.source, row.observed])).sort()

const rowsOf = async (host: HostDatabase, { shape }: World): Promise<readonly ModelRow[]> => {
  if (shape === 'none') return []
  const execution = shape === 'former' ? 'NULL' : 'agent_execution_id'
  const rows = await host.rows(
    `SELECT task_session_id, ${execution}, tool_call_id, source, CAST(observed_at AS TEXT) FROM task_session_subagents`,
  )
  return rows.map(([session, id, tool, source, observed]) => ({
    session: session ?? '',
    execution: id ?? null,
    tool: tool ?? '',
    source: source ?? '',
    observed: toInstant(observed ?? '') ?? '',
  }))
}

const comparePopulation = async ({ session, play }: Turn, world: World, keys: Keys): Promise<void> => {
  const { rows } = await status(play.ask(session))
  const since = keys[KEY_NAMES.executionSince]
  const wanted = world.shape === 'none' ? undefined : populationOf(world, since === undefined ? undefined : keyInstantOf(since))
  const found =
    rows === null
      ? undefined
      : {
          total: Number(rows.total),
          known: Number(rows.known),
          unknownBefore: Number(rows.unknownBefore),
          unknownSince: Number(rows.unknownSince),
        }
  deepStrictEqual(found, wanted, 'AC-25: population')
}

const compareHealth = async ({ session, play }: Turn, world: World, keys: Keys): Promise<void> => {
  const report = await health(play.ask(session))
  const since = keyInstantOf(keys[KEY_NAMES.captureSince] ?? '') ?? ''
  const rows = world.rows.map((row) => ({ task_session_id: row.session, tool_call_id: row.tool, observed_at: row.observed }))
  const wanted = healthOf(world.messages, rows, since, (id) => world.sessions.includes(id))
  const found =
    report.state === 'not_activated'
      ? report
      : {
          state: report.state,
          missing:
            report.state === 'shortfall'
              ? report.missingKeys.map((key) => JSON.stringify([key.task_session_id, key.tool_call_id])).sort()
              : [],
          newest: report.state === 'nothing_since_activation' ? null : report.newestObservation,
          excess: Number(report.excess),
          collisions: Number(report.collisions),
        }
  deepStrictEqual(found, wanted, 'AC-28: health')
}
