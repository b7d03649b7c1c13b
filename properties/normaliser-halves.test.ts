/** The normaliser's two halves: what waits until rows are folded is the same as if it had not waited. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Contract,
  compileNormaliser,
  compileReducer,
  defineContract,
  key,
  lastNonNull,
  type Notes,
  type Tuple,
  type Value,
} from '../src/rules/index.ts'
import { contract } from './arbitraries/contracts.ts'
import { contractWithHistory, type Row } from './arbitraries/rows.ts'
import { assertHolds } from './oracle/check.ts'
import { toJson } from './oracle/json.ts'

/** The rows that are none are left out on both sides alike. */
const admitted = (of: Contract, rows: readonly Row[]): Value[][] => {
  const { admit } = compileNormaliser(of)
  return rows.flatMap((row) => {
    const notes: Notes = { errors: undefined, anomalies: undefined }
    const values = admit(
      Object.keys(of.columns).map((name) => row[name]),
      notes,
    )
    return values === undefined ? [] : [values]
  })
}

const foldedThenFinished = (of: Contract, rows: readonly Row[]): readonly Tuple[] => {
  const { finish } = compileNormaliser(of)
  return compileReducer(of)
    .fold(admitted(of, rows))
    .map((row) => finish([...row]))
}

const finishedThenFolded = (of: Contract, rows: readonly Row[]): readonly Tuple[] => {
  const { finish } = compileNormaliser(of)
  return compileReducer(of).fold(admitted(of, rows).map(finish))
}

describe('hazard 37: text that waits to be made storable', () => {
  // Catches: a key that waits (two rows where one is), a text that a rule compares, a marker or an empty text decided too early.
  it('hazard 37: rows finished after folding are the rows finished before', () =>
    assertHolds(
      fc.property(
        contractWithHistory(contract()),
        ({ contract: of, history }) => toJson(foldedThenFinished(of, history)) === toJson(finishedThenFolded(of, history)),
      ),
      1_000,
    ))

  // Catches: a key that waits. Histories rarely hold two keys that differ in nothing else.
  it('hazard 37: keys that become the same text are one row', () => {
    const of = defineContract({
      table: 't',
      key: ['k'],
      columns: { k: { type: 'text', rule: key() }, v: { type: 'text', nullable: true, rule: lastNonNull() } },
    })
    expect(
      foldedThenFinished(of, [
        { k: 'a\0', v: '1' },
        { k: 'a\uFFFD', v: '\ud800' },
      ]),
    ).toEqual([['a\uFFFD', '\uFFFD']])
  })
})
