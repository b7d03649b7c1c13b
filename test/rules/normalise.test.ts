/** The normaliser: whatever arrives, it answers, and what it lets through is what a database can hold. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contract } from '../../properties/arbitraries/contracts.ts'
import { columnName } from '../../properties/arbitraries/names.ts'
import { contractWithOneKey } from '../../properties/arbitraries/rows.ts'
import { VALUES } from '../../properties/arbitraries/values.ts'
import { type Contract, columnOf, compileNormalise, defineContract, toRow, type Value } from '../../src/index.ts'

/** What JSON and its lossless readers give, and worse: integers past 2^53 inside objects, holes, cycles of none. */
const anything = (): fc.Arbitrary<unknown> =>
  fc.oneof(...Object.values(VALUES).map((values) => values()), fc.anything({ withBigInt: true, withDate: true, withMap: true }))

/** A contract, and an object with its names and others, holding anything. */
const contractWithAnything = () =>
  contract().chain((given) => {
    const name = fc.oneof(fc.constantFrom(...Object.keys(given.columns)), columnName())
    return fc.array(fc.tuple(name, anything())).map((fields) => ({ given, sent: Object.fromEntries(fields) }))
  })

const TYPES = { text: 'string', int64: 'bigint', bool: 'boolean', instant: 'string' } as const

/** Of the declared type, NULL only where that may be, text that both databases hold. */
const isHeld = (given: Contract, name: string, value: Value): boolean => {
  const { type, nullable } = columnOf(given, name)
  if (value === null) return nullable
  return typeof value === TYPES[type] && (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')))
}

/** A text that is not absent is what was sent, except for what no database holds; else it is the fallback. */
const keepsText = (given: Contract, name: string, value: Value, sent: Readonly<Record<string, unknown>>): boolean => {
  const original = Object.hasOwn(sent, name) ? sent[name] : undefined
  if (columnOf(given, name).type !== 'text' || typeof original !== 'string' || value === null) return true
  return value === original.toWellFormed().replaceAll('\0', '\uFFFD') || value === fallback(given, name)
}

describe('hazard 1: one normaliser', () => {
  // Catches: a message that cannot be made of the value, a name that reads what objects inherit, an error without a place.
  it('hazard 1: answers whatever is sent, and every error names its place', () => {
    fc.assert(
      fc.property(contractWithAnything(), ({ given, sent }) => {
        const result = compileNormalise(given)(sent)
        if (result._tag === 'Right') return result.right.tuple.length === Object.keys(given.columns).length
        for (const { table, column, message } of result.left) {
          expect(table).toBe(given.table)
          expect(message).toContain(Object.hasOwn(given.columns, column) ? `${table}.${column}` : JSON.stringify(column))
        }
        return result.left.length > 0
      }),
      { numRuns: 2_000 },
    )
  })

  // Catches: a value of another type that gets through, NULL in a NOT NULL column, U+0000 or half a character.
  it('hazard 37: lets through nothing that a database cannot hold', () => {
    fc.assert(
      fc.property(contractWithOneKey(contract(), 1), ({ contract: given, rows: [sent = {}] }) => {
        const result = compileNormalise(given)(sent)
        if (result._tag === 'Left') throw new Error('the arbitrary built a row that is refused')
        const row = toRow(Object.keys(given.columns), result.right.tuple)
        return Object.entries(row).every(([name, value]) => isHeld(given, name, value) && keepsText(given, name, value, sent))
      }),
      { numRuns: 1_000 },
    )
  })

  // Catches: a sentinel or default that is absent itself, an instant respelled, a text replaced twice.
  it('hazard 1: its own output goes through unchanged, without anomalies', () => {
    fc.assert(
      fc.property(contractWithOneKey(contract(), 1), ({ contract: given, rows: [sent = {}] }) => {
        const normalise = compileNormalise(given)
        const once = normalise(sent)
        if (once._tag === 'Left') throw new Error('the arbitrary built a row that is refused')
        const again = normalise(toRow(Object.keys(given.columns), once.right.tuple))
        return (
          again._tag === 'Right' && again.right.anomalies.length === 0 && isDeepStrictEqual(again.right.tuple, once.right.tuple)
        )
      }),
      { numRuns: 1_000 },
    )
  })
})

const fallback = (given: Contract, name: string): Value | undefined => {
  const { rule, default: initial } = columnOf(given, name)
  return rule.kind === 'key' ? rule.absentAs : initial
}

const metrics = defineContract({
  table: 't',
  key: ['k'],
  columns: {
    k: { type: 'text', rule: { kind: 'key', absentAs: 'unknown' } },
    both: { type: 'int64', nullable: true, absent: ['zero', 'negative'], rule: { kind: 'lastNonNull' } },
    negative: { type: 'int64', nullable: true, absent: ['negative'], rule: { kind: 'lastNonNull' } },
    marked: { type: 'text', nullable: true, absent: ['empty', { marker: '__unavailable__' }], rule: { kind: 'lastNonNull' } },
    kept: { type: 'text', nullable: true, absent: [], rule: { kind: 'lastNonNull' } },
    last: { type: 'bool', nullable: true, rule: { kind: 'lastValue' } },
  },
})
const normalise = compileNormalise(metrics)

const errorsOf = (sent: unknown): readonly unknown[] => {
  const result = normalise(sent as Readonly<Record<string, unknown>>)
  return result._tag === 'Left' ? result.left.map(({ code, column }) => [code, column]) : []
}

describe('hazard 1: what counts as a field', () => {
  // Catches: numbers of fields compared, where one that is inherited, or hidden, makes up for one that is misspelt.
  it('hazard 1: a misspelt name is found beside what the row inherits or hides', () => {
    const inheriting = Object.assign(Object.create({ kept: 'x' }) as object, { last: null, nagative: 1n })
    expect(errorsOf(inheriting)).toEqual([
      ['inherited', 'kept'],
      ['unknown-column', 'nagative'],
    ])
    const hiding = Object.defineProperty({ last: null, nagative: 1n }, 'kept', { value: 'x', enumerable: false })
    expect(errorsOf(hiding)).toEqual([['unknown-column', 'nagative']])
  })

  // Catches: a getter of a class that is read, or lost, without a word; a class that is refused for being one.
  it('hazard 1: an instance is taken for its own fields, and refused where a column would be lost', () => {
    class Own {
      last = null
      kept = 'x'
    }
    class Getter extends Own {
      get both(): bigint {
        return 5n
      }
    }
    expect(normalise(Object.fromEntries(Object.entries(new Own())) as never)).toEqual(normalise(new Own() as never))
    expect(errorsOf(new Own())).toEqual([])
    expect(errorsOf(new Getter())).toEqual([['inherited', 'both']])
  })

  it.each([[null], [undefined], ['last'], [5n], [[]], [() => 1]])('hazard 1: %o is no row', (sent) => {
    expect(errorsOf(sent)).toEqual([['no-object', '']])
  })
})

describe('AC-7a, AC-8, AC-9: absence', () => {
  it.each([
    ['AC-7a: zero is absent where it says so', { both: 0n, negative: 0n }, [null, 0n], []],
    [
      'AC-9: negative is absent and an anomaly, per column',
      { both: -1n, negative: -(2n ** 63n) },
      [null, null],
      ['both', 'negative'],
    ],
    ['AC-7: what is not sent is absent and no anomaly', {}, [null, null], []],
    ['AC-8: one is one', { both: 1, negative: 1n }, [1n, 1n], []],
  ] as const)('%s', (_, sent, values, anomalies) => {
    const result = normalise({ last: null, ...sent })
    expect(result).toMatchObject({ _tag: 'Right', right: { anomalies } })
    expect(result._tag === 'Right' && result.right.tuple.slice(1, 3)).toEqual(values)
  })

  it('hazard 5: a marker and the empty text are absent where declared, and values where not', () => {
    const tuples = ['', '__unavailable__', 'x'].map((text) => normalise({ last: true, marked: text, kept: text }))
    expect(tuples.map((one) => one._tag === 'Right' && one.right.tuple.slice(3, 5))).toEqual([
      [null, ''],
      [null, '__unavailable__'],
      ['x', 'x'],
    ])
  })

  it.each([[undefined], [null], ['']])('AC-31: %j in the key becomes the sentinel', (sent) => {
    expect(normalise({ k: sent, last: true })).toMatchObject({ right: { tuple: ['unknown', null, null, null, null, true] } })
  })

  it('hazard 1: every bad field is named at once, with its value and what to do', () => {
    const result = normalise({ both: 1.5, negative: 2n ** 63n, marked: { x: [2n ** 60n] }, lsat: true })
    const messages = result._tag === 'Left' ? result.left.map(({ message }) => message) : []
    expect(messages.map((message) => message.slice(0, message.indexOf(':')))).toEqual([
      't.both',
      't.negative',
      't.marked',
      't.last',
      't',
    ])
    for (const part of [
      '1.5 is no 64-bit integer',
      '9223372036854775808n',
      '1152921504606846976',
      'send the value, or null',
      '"lsat"',
    ]) {
      expect(messages.join('\n')).toContain(part)
    }
  })

  it.each([NaN, Infinity, -Infinity, 2 ** 53, '12', true, null, new Date(0)])(
    'hazard 34: %s is no int64 that may be stored',
    (sent) => {
      const result = normalise({ both: sent, last: true })
      expect(sent === null ? result._tag === 'Right' : result._tag === 'Left').toBe(true)
    },
  )

  it('hazard 36: -0 is 0', () => {
    expect(normalise({ negative: -0, last: true })).toMatchObject({ right: { tuple: ['unknown', null, 0n, null, null, true] } })
  })
})
