import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { LosslessNumber, parse } from 'lossless-json'
import { type Rejected, rejected } from './outcome.ts'

/**
 * What `JSON.parse` would not keep: a number of sixteen digits or more (exact only below 2^53), or a member written with a fraction or
 * an exponent (12.0 and 1e3 are integers after it, and not as written). A false alarm, say inside a text, costs time and nothing else.
 */
const LOSES = /"\s*:\s*-?(?:\d{16}|\d+[.eE])/

/**
 * Reads the text of one frame (one line of a file), every number as it is written.
 *
 * Use it before `record` for frames that arrive as text. Numbers come as `number` where that is exact, as `bigint` where it is not, and
 * as lossless-json's `LosslessNumber` where the text is no integer. Of a duplicate name the last wins, as in `JSON.parse`.
 */
export const parseFrameText = (text: string): Either<Rejected, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return right(LOSES.test(text) ? parse(text, undefined, KEEPING_DIGITS) : value)
  } catch (error) {
    if (error instanceof SyntaxError) return left(rejected('', text, `bad JSON: ${error.message}`))
    // lossless-json recurses: a RangeError here is a nesting of thousands of levels, which no frame has.
    return left(rejected('', text, 'the JSON is nested too deeply to be read with all its digits'))
  }
}

const INTEGER = /^-?\d+$/

const KEEPING_DIGITS = {
  parseNumber: (written: string): unknown => {
    if (!INTEGER.test(written)) return new LosslessNumber(written)
    const value = Number(written)
    return Number.isSafeInteger(value) ? value : BigInt(written)
  },
  onDuplicateKey: ({ newValue }: { readonly newValue: unknown }): unknown => newValue,
}
