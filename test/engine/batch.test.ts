/** What a batch sends, step by step: no database is asked, so that a mistake in the order cannot hide behind the result. */
import { describe, expect, it } from 'vitest'
import type { Program, Step } from '../../src/adapters/program.ts'
import { chunksOf } from '../../src/engine/chunk.ts'
import { type BatchOptions, tableOf } from '../../src/engine/index.ts'
import { MergelawError } from '../../src/errors/index.ts'
import { boolOr, type Contract, defineContract, firstNonNull, frozenBy, key, lastNonNull, type Tuple, writeOnce } from '../../src/rules/index.ts'
import { groupByKey } from '../../src/rules/group.ts'
import { compareCodePoints } from '../../src/util/code-points.ts'

const foldable = defineContract({
  table: 'foldable',
  key: ['a', 'b'],
  columns: {
    a: { type: 'text', rule: key() },
    b: { type: 'int64', rule: key() },
    first: { type: 'text', nullable: true, rule: firstNonNull() },
    last: { type: 'text', nullable: true, rule: lastNonNull() },
    flag: { type: 'bool', rule: boolOr() },
  },
})

/** Frozen by a guard that is written once: folding two rows before one stored row differs from writing them in order. */
const unfoldable = defineContract({
  table: 'unfoldable',
  key: ['a'],
  columns: {
    a: { type: 'text', rule: key() },
    guard: { type: 'text', nullable: true, rule: writeOnce() },
    value: { type: 'text', nullable: true, rule: frozenBy('guard', lastNonNull()) },
  },
})

/** Steps that a database would see; `refuse` is what it says to a step. */
const sent = (contract: Contract, dialect: 'sqlite' | 'postgres', rows: readonly Tuple[], options: BatchOptions = {}, refuse: (step: Step) => MergelawError | undefined = () => undefined) => {
  const steps: Step[] = []
  const program: Program<unknown> = tableOf(contract, dialect).upsertAll(rows, options)
  let turn = program.next()
  while (turn.done !== true) {
    steps.push(turn.value)
    const error = refuse(turn.value)
    turn = error === undefined ? program.next({ rows: [], changes: 0 }) : program.throw(error)
  }
  return { steps, outcome: turn.value }
}

/** The key columns of each statement with arrays, in order. */
const keysOf = (steps: readonly Step[], at: number): readonly string[][] =>
  steps.flatMap((step) => (step.kind === 'query' && 'params' in step ? [String(step.params[at]).slice(1, -1).split(',').map((text) => JSON.parse(text))] : []))

const row = (a: string, b = 1n, last: string | null = null): Tuple => [a, b, null, last, false]

describe('batches: what is sent', () => {
  // Catches: a missing sort (two writers then deadlock), one that sorts inside chunks only, one by UTF-16 units.
  it('hazard 47: on PostgreSQL by the whole key in UTF-8 order, across all chunks, in one transaction', () => {
    const names = ['b', '\u{1F600}', 'a', '\uFF5E', 'ab', 'B', 'é']
    const rows = names.flatMap((a) => [row(a, 2n), row(a, 1n)])
    const { steps } = sent(foldable, 'postgres', rows, { chunk: 3 })
    expect(steps.map(({ kind }) => kind)).toEqual(['begin', ...Array(5).fill('query'), 'commit'])
    const keys = keysOf(steps, 0).flat()
    expect(keys).toEqual(names.toSorted(compareCodePoints).flatMap((a) => [a, a]))
    expect(keysOf(steps, 1).flat()).toEqual(names.flatMap(() => ['1', '2']))
  })

  // Catches: a key that stands twice in one statement, which PostgreSQL refuses (21000); rows that may not be folded, reordered.
  it('hazard 44: rows that may not be folded keep their order, and no statement holds a key twice', () => {
    const rows = ['x', 'y', 'x', 'x', 'z', 'y'].map((a): Tuple => [a, null, null])
    const { steps } = sent(unfoldable, 'postgres', rows)
    expect(keysOf(steps, 0)).toEqual([['x', 'y'], ['x'], ['x', 'z', 'y']])
    for (const keys of keysOf(steps, 0)) expect(new Set(keys).size).toBe(keys.length)
  })

  it('hazard 44: rows that may be folded are one row each', () => {
    const rows = [row('x', 1n, 'early'), row('y'), row('x', 1n, 'late'), row('x')]
    const { steps, outcome } = sent(foldable, 'sqlite', rows)
    const many = steps.flatMap((step) => (step.kind === 'runMany' ? step.rows : []))
    expect(many.map(([a, , , last]) => [a, last])).toEqual([['x', 'late'], ['y', null]])
    expect(outcome).toEqual({ written: 2, failed: [], lost: undefined })
    expect(rows[0]).toEqual(row('x', 1n, 'early'))
  })

  it('hazard 44: the chunks of a list hold each key once', () => {
    expect(chunksOf(['a', 'b', 'a', 'a', 'c'], 2, (text) => text)).toEqual([['a', 'b'], ['a'], ['a', 'c']])
    expect(chunksOf([1, 2, 3], 2)).toEqual([[1, 2], [3]])
    expect(chunksOf([], 2)).toEqual([])
  })

  // Catches: a batch that is written row by row as soon as one is refused, or halved where the error tells which row it was.
  it('AC-27: one refused row in a thousand costs two more transactions on SQLite, and a logarithm of them on PostgreSQL', () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => row(`k${String(at).padStart(4, '0')}`))
    const isBad = (params: readonly unknown[]): boolean => params.some((value) => String(value).includes('k0700'))
    const refuse = (step: Step): MergelawError | undefined => {
      if (step.kind === 'runMany') {
        const at = step.rows.findIndex(isBad)
        return at < 0 ? undefined : new MergelawError('constraint', 'planted', { details: { row: at } })
      }
      return step.kind === 'query' && isBad(step.params) ? new MergelawError('constraint', 'planted') : undefined
    }
    const begins = (dialect: 'sqlite' | 'postgres') => {
      const { steps, outcome } = sent(foldable, dialect, rows, {}, refuse)
      expect(outcome).toMatchObject({ written: 999, failed: [{ at: 700 }], lost: undefined })
      return steps.filter(({ kind }) => kind === 'begin').length
    }
    expect(begins('sqlite')).toBe(4)
    expect(begins('postgres')).toBeLessThanOrEqual(21)
  })

  it('AC-27: a thousand refused rows are no deep recursion, and are told in order', () => {
    const rows = Array.from({ length: 1_000 }, (_, at) => row(`k${at}`))
    const refuse = (step: Step): MergelawError | undefined =>
      step.kind === 'runMany' || step.kind === 'query' ? new MergelawError('constraint', 'planted', { details: { row: 0 } }) : undefined
    const { outcome } = sent(foldable, 'sqlite', rows, {}, refuse)
    expect(outcome).toMatchObject({ written: 0, failed: rows.map((_, at) => ({ at })) })
  })

  // The documented limit: what a later row of the batch replaced is never sent.
  it('AC-27: a refused value that a later row of the batch replaced is not refused; one that stands is, alone', () => {
    const refuse = (step: Step): MergelawError | undefined => {
      const rows = step.kind === 'runMany' ? step.rows : step.kind === 'query' ? [step.params] : []
      const at = rows.findIndex((params) => params.includes('bad'))
      return at < 0 ? undefined : new MergelawError('constraint', 'planted', { details: { row: at } })
    }
    expect(sent(foldable, 'sqlite', [row('x', 1n, 'bad'), row('x', 1n, 'good')], {}, refuse).outcome).toMatchObject({ failed: [] })
    expect(sent(foldable, 'sqlite', [row('x', 1n, 'good'), row('x', 1n, 'bad')], {}, refuse).outcome).toMatchObject({ failed: [{ at: 1 }] })
  })
})

describe('batches: groups', () => {
  const grouped = (rows: readonly Tuple[], keyAt: readonly number[]) => {
    const grouping = groupByKey(keyAt, () => undefined, (one) => [...one])
    return rows.map(grouping.add)
  }

  // Catches: an index that mixes keys up or loses groups when it gives way to the next one.
  it.each([
    ['the last part tells rows apart', (at: number): Tuple => ['same', BigInt(at)]],
    ['the first part does', (at: number): Tuple => [`k${at}`, 1n]],
    ['only both together do', (at: number): Tuple => [`k${at % 50}`, BigInt(Math.floor(at / 50))]],
    ['no part does, but for the text of all', (at: number): Tuple => [`k${at % 60}`, BigInt(Math.floor(at / 60) % 60)]],
  ])('hazard 44: every key is one group: %s', (_name, rowAt) => {
    const rows = Array.from({ length: 3_000 }, (_, at) => rowAt(at))
    const expected = new Map<string, number>()
    const groups = rows.map((one) => {
      const text = `${one[0]} ${one[1]}`
      if (!expected.has(text)) expected.set(text, expected.size)
      return expected.get(text)
    })
    expect(grouped(rows, [0, 1])).toEqual(groups)
    expect(grouped([...rows, ...rows], [0, 1]).slice(3_000)).toEqual(groups)
  })

  it('hazard 44: parts that join to one text are two keys', () => {
    const rows: Tuple[] = [['a', 'bc'], ['ab', 'c'], ...Array.from({ length: 50 }, (_, at): Tuple => [`x${at}`, 'c'])]
    expect(new Set(grouped(rows, [0, 1])).size).toBe(rows.length)
  })
})
