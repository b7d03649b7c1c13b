/** What a batch sends, step by step, without a database: an answer is told for each step. */
import { describe, expect, it } from 'vitest'
import type { Program, Step } from '../../src/adapters/program.ts'
import { RETRY, retrying } from '../../src/adapters/retry.ts'
import { type Contract, defineContract, type ErrorCode, MergelawError, reducerOf, type Tuple, tableOf } from '../../src/index.ts'

type Spec = Parameters<typeof defineContract>[0]

/** Two key columns; `lastNonNull` may be folded, a freeze by a writeOnce guard may not. */
const contractOf = (isFoldable: boolean): Contract =>
  defineContract({
    table: 't',
    key: ['a', 'b'],
    columns: {
      a: { type: 'text', rule: { kind: 'key' } },
      b: { type: 'text', rule: { kind: 'key' } },
      guard: { type: 'text', nullable: true, rule: { kind: 'writeOnce' } },
      v: isFoldable
        ? { type: 'text', nullable: true, rule: { kind: 'lastNonNull' } }
        : { type: 'text', nullable: true, rule: { kind: 'frozenBy', guard: 'guard', rule: { kind: 'lastNonNull' } } },
    },
  } as Spec)

const rowOf = (a: string, b: string): Tuple => [a, b, null, null]

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

/** The first parameter of each statement: on PostgreSQL the array of column `a`. */
const firstArrays = (steps: readonly Step[]): readonly unknown[] =>
  steps.flatMap((step) => (step.kind === 'query' ? [step.params[0]] : []))

describe('hazard 47: the order of writing', () => {
  // Catches: rows sent in input order, chunks sorted one by one, a sort by UTF-16 units (which puts U+1F600 before U+FF5E).
  it('hazard 47: on PostgreSQL, rows go by their whole key in UTF-8 order, across chunks', () => {
    const rows = ['\u{1F600}', 'b', '\uFF5E', 'a', '\uE000'].map((a) => rowOf(a, 'x'))
    const { steps } = play(tableOf(contractOf(true), 'postgres').upsertAll(rows, { chunk: 2 }))
    const sent = firstArrays(steps)
      .join('')
      .replaceAll(/[^\p{L}\u{1F600}\uFF5E\uE000]/gu, '')
    expect(sent).toBe('ab\uE000\uFF5E\u{1F600}')
  })

  // Catches: a sort by the first key column alone.
  it('hazard 47: the second key column decides where the first is the same', () => {
    const rows = ['2', '3', '1'].map((b) => rowOf('x', b))
    const { steps } = play(tableOf(contractOf(true), 'postgres').upsertAll(rows))
    const second = steps.flatMap((step) => (step.kind === 'query' ? [String(step.params[1])] : []))
    expect(second.map((text) => text.replaceAll(/[^\d]/g, ''))).toEqual(['123'])
  })
})

describe('hazard 44: keys that only look alike', () => {
  // Catches: key parts joined without their lengths, which take ('a','bc') and ('ab','c') for one key.
  it('hazard 44: two keys of the same characters share a statement, and one key twice does not', () => {
    const statements = (rows: readonly Tuple[]): number =>
      firstArrays(play(tableOf(contractOf(false), 'postgres').upsertAll(rows)).steps).length
    expect(statements([rowOf('a', 'bc'), rowOf('ab', 'c')])).toBe(1)
    expect(statements([rowOf('a', 'bc'), rowOf('a', 'bc')])).toBe(2)
  })

  // Catches: the same in the fold, which takes the whole key as text only when neither part tells many rows apart.
  it('hazard 44: a fold keeps keys apart whose parts, joined, are the same text', () => {
    const parts = Array.from({ length: 40 }, (_, at) => 'x'.repeat(at + 1))
    const rows = parts.flatMap((a) => parts.map((b) => ({ a, b })))
    expect(reducerOf(contractOf(true)).fold([...rows, ...rows] as never)).toHaveLength(rows.length)
  })
})

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
    const rows = ['a', 'b', 'c', 'd'].map((a) => rowOf(a, 'x'))
    const bad = (step: Step): boolean => step.kind === 'query' && String(step.params[0]).includes('c')
    const { result } = play(tableOf(contractOf(true), 'postgres').upsertAll(rows), (step) =>
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
