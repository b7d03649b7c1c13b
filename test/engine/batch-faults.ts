/** What a batch owes when the database fails in the middle of it, on any database. */
import { expect, it } from 'vitest'
import type { Program, Step } from '../../src/adapters/program.ts'
import { run, type Session } from '../../src/adapters/session.ts'
import { MergelawError } from '../../src/errors/index.ts'
import { type BatchWarning, createWriter, initialise, insertSession, listAll, type Warning } from '../../src/subagents/index.ts'
import { frameOf } from '../subagents/live/harness.ts'
import { FAULT_MODES, type Fault, withFault } from '../support/faults.ts'
import { answering, wrapping } from '../support/stepping.ts'

/** Three calls of two frames each, one of a session that is not there, and one frame that is ignored. */
const FRAMES = [
  ...['c1', 'c2', 'c1', 'c3', 'c2', 'c3'].map((tool_call_id) => frameOf({ task_session_id: 's', tool_call_id })),
  frameOf({ task_session_id: 'nowhere', tool_call_id: 'c1' }),
  { ...frameOf({}), normalized: { kind: 'shell_exec' } },
]

/** More than a batch of these frames takes, narrowed down to the one that is refused. */
const MOST_STEPS = 40

const prepareTable = async (session: Session): Promise<void> => {
  await run(session, initialise(session.dialect))
  await run(session, insertSession(session.dialect)({ id: 's', task_id: 't' }))
  await run(session, script('DELETE FROM task_session_subagents'))
}

function* script(sql: string): Program<void> {
  yield { kind: 'script', name: 'prepare', sql }
}

const noted = (): { warnings: (Warning | BatchWarning)[]; log: { warn: (fields: Warning | BatchWarning) => void } } => {
  const warnings: (Warning | BatchWarning)[] = []
  return { warnings, log: { warn: (fields) => void warnings.push(fields) } }
}

/** `open` gives a session of its own for every call, on one and the same database. */
export const batchFaults = (open: () => Session): void => {
  const trial = async (fault: Fault) => {
    await prepareTable(open())
    let hit: Step | undefined
    const { warnings, log } = noted()
    const writer = createWriter(
      wrapping(open(), (program) =>
        withFault(program, fault, (step) => {
          hit = step
        }),
      ),
      { log },
    )
    const outcomes = await writer.recordAll(FRAMES)
    const stored = new Set((await listAll(open())).map(({ tool_call_id }) => tool_call_id))
    return { hit, warnings, outcomes, stored, counters: writer.counters() }
  }

  // Catches: frames counted as persisted before their commit, counted twice after a narrowed batch, or not at all; a rejection.
  it.each(FAULT_MODES)(
    'AC-26: a fault (%s) at any step: persisted is what is stored, and every frame is counted once',
    async (mode) => {
      let steps = 0
      for (let at = 0; at < MOST_STEPS; at++) {
        const { hit, outcomes, stored, counters } = await trial({ at, mode, code: 'unknown' })
        // A step that the database refuses anyway is no place for a fault after it.
        if (hit === undefined) continue
        steps++
        expect(outcomes.map(({ outcome }) => outcome)).toHaveLength(FRAMES.length)
        expect(counters.attempted).toBe(7)
        expect(counters.persisted + counters.failed).toBe(7)
        expect(counters.ignored).toBe(1)
        const acknowledged = outcomes.flatMap((one) => (one.outcome === 'persisted' ? [one.key.tool_call_id] : []))
        expect(acknowledged).toHaveLength(counters.persisted)
        for (const call of acknowledged) expect(stored, `${hit.name}: ${call} is acknowledged and not stored`).toContain(call)
        // The answer of a commit, or of a single statement, can be lost after it took effect: only then is more stored than told.
        const mustAgree = mode === 'before' || mode === 'connection'
        expect(mustAgree ? new Set(acknowledged) : stored).toEqual(stored)
      }
      expect(steps).toBeGreaterThan(5)
    },
  )

  it('AC-27: an error that is no frame’s own is one WARN with the count and the ids', async () => {
    const { warnings, outcomes } = await trial({ at: 1, mode: 'connection' })
    expect(warnings).toEqual([
      {
        frames: 7,
        task_session_ids: ['s', 'nowhere'],
        tool_call_ids: ['c1', 'c2', 'c3'],
        code: 'connection',
        error: expect.stringContaining('Injected fault'),
      },
    ])
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([...Array(7).fill('failed'), 'ignored'])
  })

  it('AC-27: a frame that is refused has a WARN of its own, and all others are stored', async () => {
    const { warnings, counters } = await trial({ at: 1_000, mode: 'before' })
    expect(counters).toMatchObject({ attempted: 7, persisted: 6, failed: 1, ignored: 1 })
    expect(warnings).toEqual([
      { task_session_id: 'nowhere', tool_call_id: 'c1', code: 'foreign-key', error: expect.stringMatching(/foreign key/i) },
    ])
  })

  it.each(['busy', 'serialization', 'deadlock'] as const)('hazard 47: %s is tried again, and counted', async (code) => {
    await prepareTable(open())
    const waits: number[] = []
    let failures = 3
    const session = failing(open(), () => (failures-- > 0 ? code : undefined), waits)
    const writer = createWriter(session, noted())
    await writer.recordAll(FRAMES.slice(0, 6))
    expect(writer.counters()).toMatchObject({ persisted: 6, failed: 0 })
    expect(writer.retries()).toBe(3)
    failures = 2
    await writer.record(FRAMES[0])
    expect(writer.counters().persisted).toBe(7)
    expect(writer.retries()).toBe(5)
    expect(waits).toHaveLength(5)
    for (const [at, most] of [5, 10, 20, 5, 10].entries()) {
      expect(waits[at]).toBeGreaterThanOrEqual(most / 2)
      expect(waits[at]).toBeLessThanOrEqual(most)
    }
  })

  it('hazard 47: what stays busy is given up, after waits that never grow past the cap', async () => {
    await prepareTable(open())
    const waits: number[] = []
    const session = failing(open(), () => 'busy', waits)
    const writer = createWriter(session, noted())
    const outcomes = await writer.recordAll(FRAMES.slice(0, 2))
    expect(outcomes.map((one) => one.outcome === 'failed' && one.error.code)).toEqual(['busy', 'busy'])
    expect(waits.length).toBe(writer.retries())
    expect(Math.max(...waits)).toBeLessThanOrEqual(250)
  })

  it.each(['unknown', 'connection', 'missing-table', 'constraint'] as const)(
    'hazard 47: %s is never tried again',
    async (code) => {
      await prepareTable(open())
      const waits: number[] = []
      let failures = 1
      const session = failing(open(), () => (failures-- > 0 ? code : undefined), waits)
      const writer = createWriter(session, noted())
      await writer.record(FRAMES[0])
      expect(waits).toEqual([])
      expect(writer.retries()).toBe(0)
      expect(writer.counters().failed).toBe(1)
    },
  )
}

/** Fails the steps that write while `next` gives a code; waits are noted, not waited for. */
const failing = (
  session: Session,
  next: () => ConstructorParameters<typeof MergelawError>[0] | undefined,
  waits: number[],
): Session =>
  answering(session, function* (step) {
    if (step.kind === 'wait') {
      waits.push(step.milliseconds)
      return { rows: [], changes: 0 }
    }
    const code = step.kind === 'query' || step.kind === 'runMany' ? next() : undefined
    if (code !== undefined) throw new MergelawError(code, 'planted')
    return yield step
  })
