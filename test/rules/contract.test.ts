/** A contract is frozen plain data, whatever its names are. */
import { isDeepStrictEqual } from 'node:util' // vitest's own equality does not know a column named `__proto__`
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contract } from '../../properties/arbitraries/contracts.ts'
import { type Contract, columnOf, defineContract, MergelawError, reducerOf } from '../../src/index.ts'
import { subagentContexts } from '../../src/subagents/index.ts'

const isDeeplyFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen))

describe('hazard 1: contracts as data', () => {
  // Catches: a default that is undefined instead of missing, a class, a function, a Map, a column lost to `__proto__`.
  it('hazard 1: the JSON round trip of a contract is the identity', () => {
    fc.assert(fc.property(contract(), (given) => isDeepStrictEqual(JSON.parse(JSON.stringify(given)), given)))
    expect(JSON.parse(JSON.stringify(subagentContexts))).toStrictEqual(subagentContexts)
  })

  // Catches: a spec whose spelled-out form means something else.
  it('hazard 1: defining a contract again from its own data changes nothing', () => {
    const again = (given: Contract) => defineContract(given as Parameters<typeof defineContract>[0])
    fc.assert(fc.property(contract(), (given) => isDeepStrictEqual(again(given), given)))
  })

  // Catches: a shallow freeze.
  it('hazard 1: a contract is frozen all the way down, and its spec is not', () => {
    fc.assert(fc.property(contract(), isDeeplyFrozen))
    const spec = { table: 't', key: ['k' as const], columns: { k: { type: 'text', rule: { kind: 'key' } } } as const }
    defineContract(spec)
    expect(Object.isFrozen(spec)).toBe(false)
  })

  it('hazard 1: no column is taken from what every object inherits', () => {
    expect(() => columnOf(subagentContexts, 'constructor')).toThrow(MergelawError)
  })

  it('hazard 46: the reducer over objects is the reducer over tuples', () => {
    const { insert, merge, fold } = reducerOf(twoColumns)
    const [first, second] = [insert({ k: 'a', __proto__: 'x' } as never), insert({ k: 'a', v: 'y' } as never)]
    expect(merge({ k: 'a', v: 'x' }, { k: 'a', v: null })).toEqual({ k: 'a', v: 'x' })
    expect(fold([first, second])).toEqual([{ k: 'a', v: 'y' }])
  })
})

const twoColumns = defineContract({
  table: 't',
  key: ['k'],
  columns: { k: { type: 'text', rule: { kind: 'key' } }, v: { type: 'text', nullable: true, rule: { kind: 'lastNonNull' } } },
})
