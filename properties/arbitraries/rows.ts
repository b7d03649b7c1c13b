/** Incoming rows for any contract, and histories of few keys, so that conflicts, duplicates and late rows are the normal case. */
import fc from 'fast-check'
import { type Column, type Contract, columnOf } from '../../src/index.ts'
import { MARKER, present, VALUES } from './values.ts'

/** A row as a caller sends it: a field that is missing has no entry. */
export type Row = Readonly<Record<string, unknown>>

const MISSING = Symbol('missing')

const mayBeMissing = ({ rule }: Column): boolean =>
  rule.kind !== 'lastValue' && !(rule.kind === 'frozenBy' && rule.rule.kind === 'lastValue')

/** Whatever stands for "not reported" in this column. */
const absences = (column: Column): readonly unknown[] => [
  null,
  ...(mayBeMissing(column) ? [MISSING, undefined] : []),
  ...column.absent.flatMap((rule): readonly unknown[] =>
    typeof rule === 'object' ? [MARKER] : rule === 'empty' ? [''] : rule === 'zero' ? [0n] : [-1n, -(2n ** 63n)],
  ),
]

const canBeAbsent = ({ nullable, rule, ...column }: Column): boolean =>
  nullable || column.default !== undefined || (rule.kind === 'key' && rule.absentAs !== undefined)

const value = (column: Column): fc.Arbitrary<unknown> =>
  canBeAbsent(column)
    ? fc.oneof({ weight: 2, arbitrary: VALUES[column.type]() }, { weight: 1, arbitrary: fc.constantFrom(...absences(column)) })
    : VALUES[column.type]().map((sent) => present(sent, column.absent))

const fields = (contract: Contract, names: readonly string[]): fc.Arbitrary<readonly (readonly [string, unknown])[]> =>
  fc
    .tuple(...names.map((name) => value(columnOf(contract, name))))
    .map((sent) => sent.flatMap((field, at) => (field === MISSING ? [] : [[names[at] as string, field] as const])))

type Entry = { readonly key: number; readonly fields: readonly (readonly [string, unknown])[] } | { readonly again: number }

/**
 * A history: rows of one to three keys in any order; every fifth row is an earlier one sent again.
 *
 * `fc.array` bounds its length by its own size (10 by default), which is where stories stay readable.
 */
const history = (contract: Contract): fc.Arbitrary<readonly Row[]> => {
  const others = Object.keys(contract.columns).flatMap((name) => (contract.key.includes(name) ? [] : [name]))
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ key: fc.nat(), fields: fields(contract, others) }) },
    { weight: 1, arbitrary: fc.record({ again: fc.nat() }) },
  )
  // At most three keys: with more, most rows would meet no stored one.
  return fc
    .tuple(fc.array(fields(contract, contract.key), { minLength: 1, maxLength: 3 }), fc.array(entry))
    .map(([keys, entries]) => {
      const rows: Row[] = []
      for (const one of entries) {
        const again = 'again' in one ? rows[one.again % Math.max(1, rows.length)] : undefined
        if (again !== undefined) rows.push(again)
        if ('fields' in one) rows.push(Object.fromEntries([...(keys[one.key % keys.length] ?? []), ...one.fields]))
      }
      return rows
    })
}

/** A random contract with a history for it. */
export const contractWithHistory = (
  contracts: fc.Arbitrary<Contract>,
): fc.Arbitrary<{ contract: Contract; history: readonly Row[] }> =>
  contracts.chain((contract) => history(contract).map((rows) => ({ contract, history: rows })))

/** A random contract with rows of one key. */
export const contractWithOneKey = (
  contracts: fc.Arbitrary<Contract>,
  count: number,
): fc.Arbitrary<{ contract: Contract; rows: readonly Row[] }> =>
  contracts.chain((contract) => {
    const others = Object.keys(contract.columns).flatMap((name) => (contract.key.includes(name) ? [] : [name]))
    const rest = fc.array(fields(contract, others), { minLength: count, maxLength: count }) // as many as the law speaks of
    return fc
      .tuple(fields(contract, contract.key), rest)
      .map(([key, entries]) => ({ contract, rows: entries.map((entry): Row => Object.fromEntries([...key, ...entry])) }))
  })
