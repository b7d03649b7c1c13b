/** Text: one policy for what no database holds, and the order of UTF-8 bytes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SPECIAL_TEXTS } from '../../properties/arbitraries/values.ts'
import { compareCodePoints } from '../../src/util/code-points.ts'
import { storableText } from '../../src/util/text.ts'

const text = () => fc.oneof(fc.constantFrom(...SPECIAL_TEXTS), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
/** Any sequence of UTF-16 units, lone surrogates included. */
const units = () => fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes))

describe('hazard 37: storable text', () => {
  // Catches: a policy that misses a lone surrogate at either end, or that touches what is well formed.
  it('hazard 37: replaces exactly U+0000 and lone surrogates, each by one U+FFFD', () => {
    fc.assert(
      fc.property(units(), (given) => {
        const stored = storableText(given)
        const expected = Array.from(given, (character) => (/^[\0\ud800-\udfff]$/.test(character) ? '\uFFFD' : character)).join('')
        expect(stored).toBe(expected)
        expect(Buffer.from(stored, 'utf8').toString('utf8')).toBe(stored)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('AC-13: the order of text', () => {
  // Catches: the order of UTF-16 units, which puts U+1F600 before U+FF5E.
  it('AC-13: compareCodePoints is the order of UTF-8 bytes', () => {
    fc.assert(
      fc.property(text().map(storableText), text().map(storableText), fc.nat(3), (a, b, shared) => {
        const [left, right] = [a.slice(0, shared) + b, a.slice(0, shared) + a].map(storableText) as [string, string]
        for (const [x, y] of [
          [a, b],
          [left, right],
        ] as const) {
          expect(Math.sign(compareCodePoints(x, y))).toBe(Buffer.compare(Buffer.from(x), Buffer.from(y)))
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('AC-13: astral characters come after all others', () => {
    expect(['😀', '\uFF5E', '\uFFFD', '\uE000', '𐀀', 'z'].sort(compareCodePoints)).toEqual([
      'z',
      '\uE000',
      '\uFF5E',
      '\uFFFD',
      '𐀀',
      '😀',
    ])
  })
})
