/** Laws as data, proven both ways: what `lawsOf` claims holds, and what it does not claim is broken by stored rows. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Contract, compileReducer, LAWS, type Law, lawsOf } from '../../src/index.ts'
import { contract } from '../arbitraries/contracts.ts'
import { contractWithOneKey } from '../arbitraries/rows.ts'
import { assertHolds } from '../oracle/check.ts'
import { normalised } from '../oracle/run-and-compare.ts'
import { loadCounterexamples } from './counterexamples.ts'
import { lawHolds, type Rows } from './predicates.ts'
import { at, RULE_SPECS, type RuleSpec, smallRows } from './specs.ts'

const claimsOf = (given: Contract, column: string): readonly Law[] => lawsOf(given).columns[column] ?? []

/** Laws that hold although `lawsOf` does not claim them, since an issue fixes which guards never fold: writeOnce written the long way. */
const HOLDS_UNCLAIMED: readonly (readonly [string, Law])[] = [
  ['writeOnce frozen by writeOnce', 'foldable'],
  ['writeOnce frozen by frozenBy-lastNonNull', 'foldable'],
  ...(['lastValue', 'frozenBy-lastValue'] as const).flatMap((guard) =>
    (['idempotent', 'lateReplaySafe', 'foldable'] as const).map((law) => [`writeOnce frozen by ${guard}`, law] as const),
  ),
]
const holdsUnclaimed = (name: string, law: Law): boolean =>
  HOLDS_UNCLAIMED.some(([rule, other]) => rule === name && other === law)

const breaks = (rows: readonly (readonly unknown[])[], broken: (rows: Rows) => boolean): Rows | undefined => {
  for (const s of [undefined, ...rows] as Rows['s'][]) {
    for (const a of rows as Rows['a'][]) for (const b of rows as Rows['b'][]) if (broken({ s, a, b })) return { s, a, b }
  }
  return undefined
}

/** Rows of the small domain that break a law of the column `c`. */
const counterexample = ({ contract: given }: RuleSpec, law: Law): Rows | undefined => {
  const reducer = compileReducer(given)
  return breaks(smallRows(given), (rows) => !lawHolds(reducer, law, rows, [at(given, 'c')]))
}

describe.each(RULE_SPECS)('AC-14: $name', (spec) => {
  const claimed = claimsOf(spec.contract, 'c')

  // Catches: a claim too many, such as foldable for a writeOnce guard, or late-replay safe for lastNonNull.
  it('AC-14: keeps every law it claims, over every stored and incoming row of a small domain', () => {
    for (const law of claimed) expect(counterexample(spec, law), law).toBeUndefined()
  })

  // Catches: a claim too few, and a counterexample that no longer breaks anything.
  it('AC-14: breaks every law it does not claim, with the stored rows', () => {
    const unclaimed = LAWS.filter((law) => !claimed.includes(law))
    const stored = unclaimed.length === 0 ? {} : (loadCounterexamples(spec.file)[spec.name] ?? {})
    const expected = unclaimed.filter((law) => !holdsUnclaimed(spec.name, law))
    expect(Object.keys(stored).sort()).toEqual([...expected].sort())
    const reducer = compileReducer(spec.contract)
    for (const law of expected) expect(lawHolds(reducer, law, stored[law] as Rows, [at(spec.contract, 'c')]), law).toBe(false)
  })
})

describe('AC-14: claims', () => {
  it('AC-14: what holds without being claimed is what the list says, and nothing else', () => {
    const found = RULE_SPECS.flatMap((spec) =>
      LAWS.flatMap((law) =>
        claimsOf(spec.contract, 'c').includes(law) || counterexample(spec, law) !== undefined ? [] : [[spec.name, law]],
      ),
    )
    expect(new Set(found.map(String))).toEqual(new Set(HOLDS_UNCLAIMED.map(String)))
  })

  it('hazard 44: frozenBy folds exactly where its guard takes every value and keeps it', () => {
    const foldable = new Set(
      RULE_SPECS.flatMap(({ name, contract: given }) => (claimsOf(given, 'c').includes('foldable') ? [name] : [])),
    )
    const guards = ['firstNonNull', 'lastNonNull', 'touch', 'boolOr', 'writeOnce', 'lastValue']
    expect(guards.map((guard) => foldable.has(`lastNonNull frozen by ${guard}`))).toEqual([true, true, true, true, false, false])
  })

  // Catches: a merge that reads another column than its own, or a law that only small values keep.
  it('AC-14: a random contract keeps the laws of each of its columns', () =>
    assertHolds(
      fc.property(contractWithOneKey(contract(), 3), ({ contract: given, rows }) => {
        const reducer = compileReducer(given)
        const [s, a, b] = normalised({ contract: given, history: rows })
        if (s === undefined || a === undefined || b === undefined) throw new Error('the arbitrary built a row that is refused')
        for (const name of Object.keys(given.columns)) {
          for (const law of claimsOf(given, name)) {
            for (const stored of [undefined, s])
              expect(lawHolds(reducer, law, { s: stored, a, b }, [at(given, name)]), `${law} of ${name}`).toBe(true)
          }
        }
      }),
      500,
    ))

  // Catches: a contract law that is not the intersection of its columns' laws.
  it('hazard 44: a foldable contract folds any history to what single statements leave', () =>
    assertHolds(
      fc.property(contractWithOneKey(contract(), 5), ({ contract: given, rows }) => {
        const { merge, fold } = compileReducer(given)
        const tuples = normalised({ contract: given, history: rows })
        const [first, ...rest] = tuples
        if (first === undefined) throw new Error('the arbitrary built a row that is refused')
        expect(fold(tuples)).toEqual([rest.reduce((stored, incoming) => merge(stored, incoming), first)])
        if (!lawsOf(given).contract.includes('foldable')) return
        const [batch] = fold(rest)
        expect(batch === undefined ? first : merge(first, batch)).toEqual(fold(tuples)[0])
      }),
      500,
    ))
})
