import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'

/** A type whose refusals read "… must be <name>, not …". */
export const expecting = (name: string, is: (sent: unknown) => boolean): t.Mixed =>
  new t.Type(
    name,
    (sent): sent is unknown => is(sent),
    (sent, context) => (is(sent) ? t.success(sent) : t.failure(sent, context)),
    t.identity,
  )

export const oneOf = (...values: readonly string[]): t.Mixed =>
  expecting(values.map((value) => JSON.stringify(value)).join(' or '), (sent) => values.some((value) => value === sent))

export const isObject = (sent: unknown): sent is Readonly<Record<string, unknown>> =>
  typeof sent === 'object' && sent !== null && !Array.isArray(sent)

/** Runs a type on one member, with the member's name in the place that an error tells. */
export const validateAt = (type: t.Mixed, sent: unknown, key: string, context: t.Context): t.Errors => {
  const result = type.validate(sent, t.appendContext(context, key, type, sent))
  return isRight(result) ? [] : result.left
}

/** A type that only looks: what it lets through is what was sent. */
export const all = (name: string, errorsOf: (sent: unknown, context: t.Context) => t.Errors): t.Mixed =>
  new t.Type(
    name,
    (sent): sent is unknown => errorsOf(sent, []).length === 0,
    (sent, context) => {
      const errors = errorsOf(sent, context)
      return errors.length === 0 ? t.success(sent) : t.failures([...errors])
    },
    t.identity,
  )

export const mismatch = (value: unknown, context: t.Context, message?: string): t.Errors => [
  { value, context, ...(message === undefined ? {} : { message }) },
]

export const listOf = (what: string, item: t.Mixed): t.Mixed =>
  all(`a list of ${what}`, (sent, context) =>
    Array.isArray(sent)
      ? Array.from<unknown>(sent).flatMap((one, at) => validateAt(item, one, `[${at}]`, context))
      : mismatch(sent, context),
  )

export type Members = Readonly<Record<string, t.Mixed>>

/** An object of these members and no others: a misspelt option would be ignored silently. */
export const closed = (name: string, required: Members, optional: Members = {}): t.Mixed => {
  const known = [...Object.keys(required), ...Object.keys(optional)]
  return all(name, (sent, context) => {
    if (!isObject(sent)) return mismatch(sent, context)
    const unknown = Object.keys(sent).find((member) => !known.includes(member))
    if (unknown !== undefined)
      return mismatch(sent, context, `there is no option ${JSON.stringify(unknown)}: ${name} has ${known.join(', ')}`)
    return [
      ...Object.entries(required).flatMap(([member, type]) => validateAt(type, sent[member], member, context)),
      ...Object.entries(optional).flatMap(([member, type]) =>
        sent[member] === undefined ? [] : validateAt(type, sent[member], member, context),
      ),
    ]
  })
}
