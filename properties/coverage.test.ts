/** Input coverage, as numbers with gates: what the properties are run on contains what they are about. One fixed seed, so no luck. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnOf, lawsOf, RULE_KINDS } from '../src/index.ts'
import { contract, PLAIN_KINDS, RULE_TYPES } from './arbitraries/contracts.ts'
import { frameHistory } from './arbitraries/frames.ts'
import { folded, HOSTILE_NAMES } from './arbitraries/names.ts'
import { contractWithHistory } from './arbitraries/rows.ts'
import { type Counts, countCase, countFrames } from './coverage.ts'

const SEED = 20_260_803
const share = (counts: Counts, part: string, whole: string): number => (counts.get(part) ?? 0) / (counts.get(whole) ?? 0)

describe('AC-14: what random contracts and histories contain', () => {
  const counts: Counts = new Map()
  const cases = fc.sample(contractWithHistory(contract()), { seed: SEED, numRuns: 2_500 })
  for (const one of cases) countCase(counts, one)

  it.each([
    ['conflict', 'step', 0.5],
    ['insert', 'step', 0.2],
    ['duplicate', 'step', 0.1],
    ['real conflict', 'conflict', 0.5],
    ['tie', 'conflict', 0.3],
  ] as const)('AC-14: %s in every %s: at least %d', (part, whole, least) => {
    expect(share(counts, part, whole)).toBeGreaterThan(least)
  })

  const presences = ['null', 'value'] as const
  const cells = PLAIN_KINDS.flatMap((kind) =>
    ['', 'frozenBy '].flatMap((frozen) => RULE_TYPES[kind].map((type) => `${frozen}${kind} ${type}`)),
  )

  it('AC-14: every rule on every type inserts and meets both NULL and a value, on both sides: all cells', () => {
    const wanted = cells.flatMap((cell) => [
      ...presences.map((incoming) => `${cell} inserts ${incoming}`),
      ...presences.flatMap((stored) => presences.map((incoming) => `${cell} ${stored} meets ${incoming}`)),
    ])
    expect(wanted.filter((cell) => !counts.has(cell))).toEqual([])
    expect(wanted).toHaveLength(cells.length * 6)
  })

  it('AC-14: every rule, every guard kind, foldable contracts and others, long guards, every hostile name', () => {
    const contracts = cases.map((one) => one.contract)
    const columns = contracts.flatMap((one) => Object.values(one.columns).map((column) => ({ one, column })))
    const guards = columns.flatMap(({ one, column: { rule } }) =>
      rule.kind === 'frozenBy' ? [columnOf(one, rule.guard).rule.kind] : [],
    )
    expect(new Set(columns.map(({ column }) => column.rule.kind))).toEqual(new Set(RULE_KINDS))
    expect(new Set(guards)).toEqual(new Set(RULE_KINDS))
    const foldable = contracts.filter((one) => lawsOf(one).contract.includes('foldable')).length / contracts.length
    expect(foldable).toBeGreaterThan(0.3)
    expect(foldable).toBeLessThan(0.95)
    const names = new Set(contracts.flatMap((one) => [one.table, ...Object.keys(one.columns)]).map(folded))
    expect(HOSTILE_NAMES.filter((name) => !names.has(folded(name)))).toEqual([])
    expect(new Set(contracts.map((one) => Object.keys(one.columns).length))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
  })
})

describe('AC-14: what random frames contain', () => {
  const counts: Counts = new Map()
  for (const history of fc.sample(frameHistory(), { seed: SEED, numRuns: 1_000 })) countFrames(counts, history)

  it.each([
    ['persisted', 'frame', 0.6],
    ['skipped_no_identity', 'frame', 0.03],
    ['rejected', 'frame', 0.02],
    ['ignored', 'frame', 0.02],
    ['anomalous_value', 'frame', 0.2],
    ['unknown_execution', 'frame', 0.1],
    ['changed row', 'frame', 0.2],
    ['changed after settlement', 'frame', 0.05],
    ['turn filled forward', 'frame', 0.02],
    ['merged onto a backfilled row', 'frame', 0.02],
    ['history with executions sharing a tool_call_id', 'history', 0.3],
  ] as const)('AC-14: %s in every %s: at least %d', (part, whole, least) => {
    expect(share(counts, part, whole)).toBeGreaterThan(least)
  })
})
