import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { show } from '../util/show.ts'
import type { Problem } from './check/index.ts'
import { RULE_KINDS } from './kinds/index.ts'
import { all, closed, expecting, isObject, listOf, type Members, mismatch, oneOf, validateAt } from './shapes.ts'

const text = expecting('a text', t.string.is)
const flag = expecting('true or false', t.boolean.is)
const kind = t.string

/** A rule that `key`, `frozenBy` or nothing beside its kind describes. What may stand inside `frozenBy` is checked with the contract. */
const rule = (members: (kind: string) => t.Mixed): t.Mixed =>
  all('a rule, for example lastNonNull()', (sent, context) => {
    if (!isObject(sent) || !kind.is(sent['kind'])) return mismatch(sent, context)
    const { kind: named } = sent
    const isKnown = RULE_KINDS.some((one) => one === named)
    if (!isKnown) return mismatch(sent, context, `there is no rule ${show(named)}: there are ${RULE_KINDS.join(', ')}`)
    const result = members(named).validate(sent, context)
    return isRight(result) ? [] : result.left
  })

const plain = closed('this rule', { kind })
const anyRule = expecting('a rule', isObject)
const innerRule = rule((named) => (named === 'key' || named === 'frozenBy' ? anyRule : plain))
const RULES: Members = {
  key: closed('the rule key', { kind }, { absentAs: text }),
  frozenBy: closed('the rule frozenBy', { kind, guard: text, rule: innerRule }),
}
const columnRule = rule((named) => (Object.hasOwn(RULES, named) ? RULES[named] : undefined) ?? plain)

const marker = closed('a marker', { marker: text })
const absentRule = all('"empty", "zero", "negative" or { marker: text }', (sent, context) => {
  if (text.is(sent)) return []
  if (!isObject(sent)) return mismatch(sent, context)
  const result = marker.validate(sent, context)
  return isRight(result) ? [] : result.left
})

const members = {
  nullable: flag,
  absent: listOf('absent-rules', absentRule),
  default: t.unknown,
  postgres: oneOf('timestamp', 'timestamptz'),
}
const columnShape = closed('a column', { type: oneOf('text', 'int64', 'bool', 'instant'), rule: columnRule }, members)
const column = all('a column', (sent, context) => {
  const errors = columnShape.validate(sent, context)
  if (!isRight(errors)) return errors.left
  return isObject(sent) && sent['postgres'] !== undefined && sent['type'] !== 'instant'
    ? mismatch(sent, context, `postgres is for an instant, not for ${show(sent['type'])}`)
    : []
})

/** Names are members here, so a prototype of its own (`__proto__: …` in a literal) would hide some of them. */
const columns = all('an object with the columns by name', (sent, context) => {
  if (!isObject(sent)) return mismatch(sent, context)
  const prototype: unknown = Object.getPrototypeOf(sent)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    return mismatch(sent, context, 'columns must be a plain object: names that it inherits would be lost')
  return Object.entries(sent).flatMap(([name, one]) => validateAt(column, one, name, context))
})

const names = listOf('column names', text)
const index = closed('an index', { name: text, columns: names })
const references = closed('references', { table: text, columns: names })
const foreignKey = closed('a foreign key', { columns: names, references, onDelete: oneOf('cascade', 'restrict') })

const spec = closed(
  'a contract',
  { table: text, key: names, columns },
  { primaryKey: names, readOrder: names, indexes: listOf('indexes', index), foreignKeys: listOf('foreign keys', foreignKey) },
)

/** The first thing in a contract's spec that has the wrong shape, for callers whom no compiler tells. */
export const shapeProblem = (sent: unknown): Problem | undefined => {
  const decoded = spec.validate(sent, t.getDefaultContext(spec))
  const error = isRight(decoded) ? undefined : decoded.left[0]
  if (error === undefined) return undefined
  const path = error.context.slice(1).map(({ key }) => key)
  const isColumn = path[0] === 'columns' && path.length > 1
  const place = (isColumn ? path.slice(2) : path).join('.').replaceAll('.[', '[')
  const expected = error.context.at(-1)?.type.name ?? 'something else'
  const reason =
    error.message ??
    (error.value === undefined ? `missing: it must be ${expected}` : `must be ${expected}, not ${show(error.value)}`)
  return { ...(isColumn ? { column: path[1] ?? '' } : {}), reason: place === '' ? reason : `${place}: ${reason}` }
}
