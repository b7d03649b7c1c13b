/** What a batch makes of errors, code by code, and how often a statement is tried: without a database. */
import { describe, expect, it } from 'vitest'
import type { Program, Step } from '../../src/adapters/program.ts'
import { RETRY, retrying } from '../../src/adapters/retry.ts'
import { defineContract, type ErrorCode, key, lastNonNull, MergelawError, type Tuple, tableOf } from '../../src/index.ts'

const contract = defineContract({
  table: 't',
  key: ['k'],
  columns: { k: { type: 'text', rule: key() }, v: { type: 'text', nullable: true, rule: lastNonNull() } },
})

/** Runs a program to its end; `refuse` gives an error for a step, or nothing. Waits take no time. */
const play = <T>(program: Program<T>, refuse: (step: Step) => MergelawError | undefined = () => undefined) => {
  const steps: Step[] = []
  let turn = program.next()
  while (turn.done !== true) {
    steps.push(turn.value)
    const error = refuse(turn.value)
    turn = error === undefined ? program.next({ rows: [], changes: 1 }) : program.throw(error)
  }
  return { result: turn.value, steps }
}

describe('AC-27: a row that the database refuses', () => {
  // Catches: a code that is a row's own taken for the whole batch's, or the other way round.
  it.each([
    ['constraint', true],
    ['foreign-key', true],
    ['unsupported-value', true],
    ['connection', false],
    ['missing-table', false],
    ['unknown', false],
  ] as const)('AC-27: %s is the row’s own: %s', (code: ErrorCode, isOwn) => {
    const rows = ['a', 'b', 'c', 'd'].map((k): Tuple => [k, null])
    const bad = (step: Step): boolean => step.kind === 'query' && String(step.params[0]).includes('c')
    const { result } = play(tableOf(contract, 'postgres').upsertAll(rows), (step) =>
      bad(step) ? new MergelawError(code, 'planted') : undefined,
    )
    expect(result.failed.map(({ at, error }) => [at, error.code])).toEqual(isOwn ? [[2, code]] : [])
    expect(result.lost?.positions).toEqual(isOwn ? undefined : [0, 1, 2, 3])
    expect(result.written).toBe(isOwn ? 3 : 0)
  })
})

describe('hazard 47: how often a statement is tried', () => {
  // Catches: one run more or less than the policy says, a wait after the last one.
  it.each([1, 2, RETRY.attempts])('hazard 47: %i runs in all, and a wait between two', (attempts) => {
    let runs = 0
    const heard: MergelawError[] = []
    function* once(): Program<void> {
      runs++
      yield { kind: 'begin', name: 'try' }
    }
    const program = retrying(once, (error) => void heard.push(error), { ...RETRY, attempts })
    let waits = 0
    const act = () =>
      play(program, (step) => {
        if (step.kind === 'wait') waits++
        return step.kind === 'wait' ? undefined : new MergelawError('busy', 'planted')
      })
    expect(act).toThrow('planted')
    expect([runs, waits, heard.length]).toEqual([attempts, attempts - 1, attempts - 1])
    expect(RETRY.attempts).toBe(5)
  })
})
