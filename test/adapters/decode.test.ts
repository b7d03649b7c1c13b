import { describe, expect, it } from 'vitest'
import { readBool, readInstant, readInt64, readText } from '../../src/adapters/decode.ts'

const readers = { readBool, readInstant, readInt64, readText }

describe('reading values back', () => {
  it.each([
    [1n, 1n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-5', -5n],
    [null, null],
  ])('hazard 35: int64 %s', (value, want) => expect(readInt64([value], 0)).toBe(want))

  it.each([
    [1n, true],
    [0n, false],
    ['1', true],
    ['f', false],
    ['t', true],
    [null, null],
  ])('hazard 32: bool %s', (value, want) => expect(readBool([value], 0)).toBe(want))

  it.each([
    ['2026-08-03 15:32:20+00', '2026-08-03T15:32:20.000000Z'],
    ['2026-08-03 15:32:20.1-05', '2026-08-03T20:32:20.100000Z'],
    ['2026-08-03 15:32:20.123456+05:30', '2026-08-03T10:02:20.123456Z'],
    ['2026-08-03 15:32:20', '2026-08-03T15:32:20.000000Z'],
    ['2026-08-03T15:32:20.123456789Z', '2026-08-03T15:32:20.123456Z'],
    [null, null],
  ])('hazard 43: instant %s', (value, want) => expect(readInstant([value], 0)).toBe(want))

  it.each([
    ['readInt64', 1.5],
    ['readInt64', 5],
    ['readInt64', '1.0'],
    ['readInt64', ''],
    ['readBool', 2n],
    ['readBool', true],
    ['readBool', 'true'],
    ['readText', 5n],
    ['readText', Buffer.from('a')],
    ['readInstant', 'infinity'],
    ['readInstant', '03.08.2026 15:32:20'],
    ['readInstant', new Date(0)],
  ] as const)('adapter: %s refuses %s and names the position', (reader, value) => {
    const act = (): unknown => readers[reader]([value], 0)
    expect(act).toThrow(expect.objectContaining({ code: 'unsupported-value' }))
    expect(act).toThrow('The value at position 0 is')
  })

  it('adapter: a position that was not selected is named', () => {
    expect(() => readText(['x', 'y'], 2)).toThrow('The row has 2 values and none at position 2')
  })
})
