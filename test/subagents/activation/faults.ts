/** One fault at every step of an activation, in every mode: what holds after it, and after the next start (AC-20, AC-24a, AC-24d, AC-33a). */
import { expect } from 'vitest'
import type { Step } from '../../../src/adapters/program.ts'
import { run, type Session } from '../../../src/adapters/session.ts'
import { endStateOf, holds } from '../../../src/subagents/end-state.ts'
import { observe } from '../../../src/subagents/observe.ts'
import { type Activated, start, steppingClock } from '../../support/activate.ts'
import { FAULT_MODES, type Fault, type FaultMode, withFault } from '../../support/faults.ts'
import { type HostDatabase, keysOf, type TextRow } from '../../support/host-database.ts'
import { watching, wrapping } from '../../support/stepping.ts'
import { prepare } from './at-once.ts'
import { oldColumns } from './host.ts'

const TABLE = 'task_session_subagents'

/** What a test of one fault needs to know of the database. */
interface Picture {
  readonly shape: 'none' | 'former' | 'ours'
  /** The rows that were there before, value for value. */
  readonly live: readonly TextRow[]
  readonly backfilled: number
  readonly keys: Readonly<Record<string, string>>
}

const look = async (host: HostDatabase): Promise<Picture> => {
  const table = (await run(host.session, observe(host.dialect, [TABLE]))).get(TABLE)
  if (table === undefined) return { shape: 'none', live: [], backfilled: 0, keys: await keysOf(host) }
  const state = endStateOf(table)
  // Clauses 1 to 3 change together or not at all.
  expect(['former', 'ours']).toContain(holds(state) ? 'ours' : state.key && state.executionColumn ? 'half' : 'former')
  const [[backfilled] = ['0']] = await host.rows(`SELECT COUNT(*) FROM ${TABLE} WHERE source = 'backfill'`)
  return {
    shape: holds(state) ? 'ours' : 'former',
    live: await oldColumns(host),
    backfilled: Number(backfilled),
    keys: await keysOf(host),
  }
}

const CAPTURE = 'subagent_context_capture_since'
const THROUGH = 'subagent_context_backfill_through'

/** No key without its work, no work without its keys, the table whole, and every failure told. */
const expectContract = (before: Picture, after: Picture, { report, warnings }: Activated): void => {
  expect(report.steps).toHaveLength(6)
  expect(warnings.map(({ step }) => step)).toEqual(
    report.steps.flatMap(({ step, outcome }) => (outcome === 'failed' ? [step] : [])),
  )
  expect(after.live).toEqual(before.live)
  if ('subagent_context_execution_since' in after.keys) expect(after.shape).toBe('ours')
  const had = CAPTURE in before.keys
  expect(THROUGH in after.keys).toBe(after.backfilled > 0)
  if (!had) expect(CAPTURE in after.keys).toBe(THROUGH in after.keys)
  if (had) expect(after.keys[CAPTURE]).toBe(before.keys[CAPTURE])
  if (THROUGH in after.keys) expect([after.shape, after.backfilled]).toEqual(['ours', 3])
}

const stepsOf = async (session: Session): Promise<readonly Step[]> => {
  const steps: Step[] = []
  await start(watching(session, (step) => void steps.push(step)))
  return steps
}

/** Runs every fault; `open` gives a fresh database each time. Answers with how many were run. */
export const everyFault = async (
  open: () => Promise<HostDatabase>,
  name: string,
  modes: readonly FaultMode[] = FAULT_MODES,
): Promise<number> => {
  const steps = await withPrepared(open, name, (host) => stepsOf(host.session))
  for (let at = 0; at < steps.length; at++) {
    for (const mode of modes) {
      await withPrepared(open, name, (host) => oneFault(host, { at, mode }, steps[at]?.name ?? ''))
    }
  }
  return steps.length * modes.length
}

const withPrepared = async <T>(
  open: () => Promise<HostDatabase>,
  name: string,
  body: (host: HostDatabase) => Promise<T>,
): Promise<T> => {
  const host = await open()
  try {
    await prepare(host, name)
    return await body(host)
  } finally {
    await host.close()
  }
}

const oneFault = async (host: HostDatabase, fault: Fault, step: string): Promise<void> => {
  const before = await look(host)
  let hit = 0
  const session = wrapping(host.session, (program) => withFault(program, fault, () => void hit++))
  try {
    const first = await start(session, steppingClock())
    expect(hit).toBe(1)
    const between = await look(host)
    expectContract(before, between, first)
    // A restart: PostgreSQL's pool has given up a connection that broke; SQLite's gets a session anew.
    const second = await start(
      host.dialect === 'sqlite' ? host.another() : host.session,
      steppingClock('2026-10-01T00:00:00.000001Z'),
    )
    const after = await look(host)
    expectContract(before, after, second)
    for (const each of Object.values(second.outcomes)) expect(['done', 'already_done']).toContain(each)
    expect([after.shape, after.backfilled, Object.keys(after.keys).length]).toEqual(['ours', 3, 3])
    expect(after.keys).toMatchObject(between.keys) // write-once, byte for byte
  } catch (error) {
    throw new Error(`fault ${fault.mode} at step ${fault.at}, "${step}"`, { cause: error })
  }
}
