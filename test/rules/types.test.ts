/** What the compiler refuses, so that it need not be refused at run time; a line that compiles after all is an error of `tsc`. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  boolOr,
  defineContract,
  firstNonNull,
  frozenBy,
  type Incoming,
  key,
  lastNonNull,
  lastValue,
  MergelawError,
  reducerOf,
  type Stored,
  touch,
  writeOnce,
} from '../../src/index.ts'

const contract = defineContract({
  table: 't',
  key: ['k', 'e'],
  columns: {
    k: { type: 'text', rule: key() },
    e: { type: 'text', rule: key({ absentAs: 'unknown' }) },
    first: { type: 'text', nullable: true, rule: firstNonNull() },
    count: { type: 'int64', nullable: true, absent: ['zero', 'negative'], rule: lastNonNull() },
    must: { type: 'int64', rule: lastNonNull() },
    flag: { type: 'bool', rule: boolOr() },
    source: { type: 'text', default: 'live', rule: writeOnce() },
    last: { type: 'text', nullable: true, rule: lastValue() },
    status: { type: 'text', nullable: true, rule: frozenBy('at', lastNonNull()) },
    at: { type: 'instant', nullable: true, rule: touch() },
  },
})

describe('hazard 4: types of rows', () => {
  it('hazard 4: a stored row has every column; null only where the column is nullable', () => {
    expectTypeOf<Stored<typeof contract>>().toEqualTypeOf<{
      readonly k: string
      readonly e: string
      readonly first: string | null
      readonly count: bigint | null
      readonly must: bigint
      readonly flag: boolean
      readonly source: string
      readonly last: string | null
      readonly status: string | null
      readonly at: string | null
    }>()
    expect(Object.keys(contract.columns)).toHaveLength(10)
  })

  it('hazard 4: an incoming row must carry what has no absence', () => {
    const row: Incoming<typeof contract> = { k: 'a', must: 1n, last: null }
    expect(reducerOf(contract).normalise(row)._tag).toBe('Right')
    // @ts-expect-error: a NOT NULL column without a default is missing
    const missing: Incoming<typeof contract> = { k: 'a', last: null }
    // @ts-expect-error: a lastValue column has no "not reported"
    const absent: Incoming<typeof contract> = { k: 'a', must: 1n }
    // @ts-expect-error: an int64 is a bigint, never a number
    const float: Incoming<typeof contract> = { k: 'a', must: 1, last: null }
    // @ts-expect-error: no such column
    const unknown: Incoming<typeof contract> = { k: 'a', must: 1n, last: null, lsat: 'x' }
    const { normalise } = reducerOf(contract)
    expect([missing, absent, unknown].map((sent) => normalise(sent)._tag)).toEqual(['Left', 'Left', 'Left'])
    expect(normalise(float)._tag).toBe('Right') // a safe integer is taken from callers without types
  })
})

const K = { type: 'text', rule: key() } as const

describe('hazard 9: contracts the compiler refuses', () => {
  it.each([
    () => {
      const c = { type: 'text', nullable: true, rule: frozenBy('x', lastNonNull()) } as const
      // @ts-expect-error: the guard is no column
      return defineContract({ table: 't', key: ['k'], columns: { k: K, c } })
    },
    () => {
      const c = { type: 'text', nullable: true, rule: frozenBy('c', lastNonNull()) } as const
      // @ts-expect-error: the column guards itself
      return defineContract({ table: 't', key: ['k'], columns: { k: K, c } })
    },
    () => {
      const c = { type: 'text', rule: lastNonNull() } as const
      // @ts-expect-error: a key part that is not of the rule key
      return defineContract({ table: 't', key: ['k', 'c'], columns: { k: K, c } })
    },
    () => {
      const c = { type: 'text', rule: boolOr() } as const
      // @ts-expect-error: boolOr on a text
      return defineContract({ table: 't', key: ['k'], columns: { k: K, c } })
    },
    () => {
      const c = { type: 'int64', rule: touch() } as const
      // @ts-expect-error: touch on an int64
      return defineContract({ table: 't', key: ['k'], columns: { k: K, c } })
    },
    () => {
      const c = { type: 'text', absent: ['zero'], rule: lastNonNull() } as const
      // @ts-expect-error: zero as absent on a text
      return defineContract({ table: 't', key: ['k'], columns: { k: K, c } })
    },
    () => {
      const c = { type: 'int64', default: '0', rule: writeOnce() } as const
      // @ts-expect-error: a default on an int64
      return defineContract({ table: 't', key: ['k'], columns: { k: K, c } })
    },
    () => {
      const k = { type: 'text', nullable: true, rule: key() } as const
      // @ts-expect-error: a nullable key
      return defineContract({ table: 't', key: ['k'], columns: { k } })
    },
    // @ts-expect-error: a primary key that is no column
    () => defineContract({ table: 't', key: ['k'], columns: { k: K }, primaryKey: ['x'] }),
    // @ts-expect-error: a read order that is no column
    () => defineContract({ table: 't', key: ['k'], columns: { k: K }, readOrder: ['x'] }),
  ])('hazard 9: and the runtime too, for callers without types (%#)', (define) => {
    expect(define).toThrow(MergelawError)
  })
})
