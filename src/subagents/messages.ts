import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isLosslessNumber } from 'lossless-json'
import { execute, type Program, type SqlValue } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { defineContract, key, writeOnce } from '../rules/index.ts'
import { DIALECTS, renderUpsert } from '../sql-render/index.ts'
import { toInstant } from '../util/instant.ts'
import { storableText } from '../util/text.ts'
import { type Rejected, rejected } from './outcome.ts'

const text = { type: 'text', absent: [], rule: writeOnce() } as const
const instant = { type: 'instant', rule: writeOnce() } as const

/** The host's `task_session_messages`, as far as a message is inserted whole and never changed. */
const hostMessages = defineContract({
  table: 'task_session_messages',
  key: ['id'],
  columns: {
    id: { type: 'text', absent: [], rule: key() },
    task_session_id: text,
    task_id: { ...text, nullable: true },
    turn_id: text,
    author_type: text,
    author_id: { ...text, nullable: true },
    content: text,
    requests_input: { type: 'int64', nullable: true, rule: writeOnce() },
    type: text,
    metadata: { ...text, nullable: true },
    created_at: instant,
    updated_at: instant,
  },
})
type Name = keyof typeof hostMessages.columns

/** What the host's own table says where a message does not. `updated_at` is then the message's `created_at`. */
const DEFAULTS: Partial<Record<Name, SqlValue>> = {
  task_id: '',
  author_type: 'user',
  author_id: '',
  requests_input: 0n,
  type: 'message',
  metadata: '{}',
}

/** A message as it is bound, in the table's column order. */
export interface HostMessage {
  readonly id: string
  readonly task_session_id: string
  readonly values: readonly SqlValue[]
}

const names = Object.keys(hostMessages.columns)

/**
 * Decodes one host message from a file: columns of `task_session_messages`, unknown fields ignored, absent ones as the table's defaults.
 *
 * For SQLite every text stays as it is, an instant too. For PostgreSQL an instant becomes UTC with six digits; one that cannot be stored,
 * and a text with U+0000, reject the message, naming the field.
 */
export const decodeMessage = (sent: unknown, dialect: Dialect): Either<Rejected, HostMessage> => {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return left(rejected('', sent, 'is no JSON object'))
  const fields: Readonly<Record<string, unknown>> = { ...sent }
  const values: SqlValue[] = []
  for (const name of names) {
    const value = boundOf(fields, name, dialect)
    if (isLeft(value)) return value
    values.push(value.right)
  }
  // The first two columns are text and not nullable.
  const [id, session] = values
  return right({ id: String(id), task_session_id: String(session), values })
}

const boundOf = (fields: Readonly<Record<string, unknown>>, name: string, dialect: Dialect): Either<Rejected, SqlValue> => {
  const column = hostMessages.columns[name as Name] // names are its keys
  const given = Object.hasOwn(fields, name) ? fields[name] : undefined
  const value = given === undefined && name === 'updated_at' ? fields['created_at'] : given
  const refuse = (why: string): Either<Rejected, never> => left(rejected(name, value, why))
  if (value === undefined) {
    const initial = DEFAULTS[name as Name]
    return initial === undefined ? refuse('is missing') : right(initial)
  }
  if (value === null) return column.nullable ? right(null) : refuse('may not be null')
  if (column.type === 'int64') return integerOf(value, refuse)
  if (typeof value !== 'string') return refuse('is no text')
  if (dialect === 'sqlite') return right(value)
  if (column.type === 'instant') return storedInstant(value, refuse)
  return storableText(value) === value ? right(value) : refuse('holds U+0000 or half a character, which PostgreSQL cannot store')
}

type Refuse = (why: string) => Either<Rejected, never>

const integerOf = (value: unknown, refuse: Refuse): Either<Rejected, SqlValue> => {
  const digits = typeof value === 'number' || isLosslessNumber(value) ? String(value) : ''
  return /^-?\d{1,9}$/.test(digits) ? right(BigInt(digits)) : refuse('is no integer')
}

/** PostgreSQL knows two instants beyond all others; a host may have written them. */
const storedInstant = (value: string, refuse: Refuse): Either<Rejected, SqlValue> => {
  if (/^-?infinity$/i.test(value)) return right(value)
  const read = toInstant(value)
  return read === undefined
    ? refuse('is no instant that can be stored')
    : right(DIALECTS.postgres.encodeInstant(read, 'timestamp'))
}

/** Inserts a message; one that is there already is left as it is. Answers whether it was inserted. SQL: `INSERT … ON CONFLICT DO NOTHING`. */
export const insertMessage = (dialect: Dialect): ((message: HostMessage) => Program<boolean>) => {
  const { sql } = renderUpsert(hostMessages, dialect)
  return function* ({ values }) {
    return (yield* execute('insert message', sql, values)) > 0
  }
}
