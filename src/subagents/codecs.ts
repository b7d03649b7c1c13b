import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { isLosslessNumber } from 'lossless-json'
import { INT64_MAX, INT64_MIN } from '../rules/index.ts'
import { toInstant } from '../util/instant.ts'
import { type Problem, problem, type Rejected, rejected } from './outcome.ts'

/** One codec per type: null, a missing field and the empty text all decode to null, "not reported", whatever the type. */
const absentable = <A>(expected: string, read: (sent: unknown) => A | undefined): t.Type<A | null, A | null, unknown> =>
  new t.Type<A | null, A | null, unknown>(
    expected,
    (value): value is A | null => value === null || read(value) !== undefined,
    (sent, context) => {
      if (sent === undefined || sent === null || sent === '') return t.success(null)
      const value = read(sent)
      return value === undefined ? t.failure(sent, context, `is no ${expected}`) : t.success(value)
    },
    t.identity,
  )

export const Text = absentable('text', (sent) => (typeof sent === 'string' ? sent : undefined))
export const Flag = absentable('boolean (true or false)', (sent) => (typeof sent === 'boolean' ? sent : undefined))
export const Instant = absentable('RFC 3339 instant with an offset (for example 2026-08-03T15:32:20.123456Z)', (sent) =>
  typeof sent === 'string' ? toInstant(sent, true) : undefined,
)
export const Metric = absentable('integer written in digits, from -2^63 to 2^63-1', (sent) => {
  const value = typeof sent === 'number' && Number.isSafeInteger(sent) ? BigInt(sent) : sent
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX ? value : undefined
})

export const problemsOf = (decoded: t.Validation<unknown>, path: string): readonly Problem[] =>
  isLeft(decoded)
    ? decoded.left.map(({ context, value, message }) =>
        problem(`${path}${context.at(-1)?.key ?? ''}`, value, message ?? 'is wrong'),
      )
    : []

export const isAbsent = (sent: unknown): boolean => sent === undefined || sent === null || sent === ''

export type Fields = Readonly<Record<string, unknown>>

/** The object's own fields of these names, so that neither a prototype nor a field named `__proto__` can stand for one. */
export const fieldsOf = (sent: unknown, path: string, names: readonly string[]): Either<Rejected, Fields> => {
  // A number that lossless-json kept as text is an object too.
  if (!t.UnknownRecord.is(sent) || isLosslessNumber(sent)) return left(rejected(path, sent, 'is no JSON object'))
  return right(Object.fromEntries(names.map((name) => [name, Object.hasOwn(sent, name) ? sent[name] : undefined])))
}
