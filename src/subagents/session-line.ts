import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { fieldsOf, problemsOf, Text } from './codecs.ts'
import { type Rejected, rejected } from './outcome.ts'

const FIELDS = { id: Text, task_id: Text }
const SessionLine = t.type(FIELDS)

/** A parent session as a file names it: `{"id","task_id"}`. */
export interface ParentSession {
  readonly id: string
  readonly task_id: string
}

/** Decodes one parent session. Unknown fields are ignored; an absent task id is the empty text, as in the host's own table. */
export const decodeSession = (sent: unknown): Either<Rejected, ParentSession> => {
  const fields = fieldsOf(sent, '', Object.keys(FIELDS))
  if (isLeft(fields)) return fields
  const session = SessionLine.decode(fields.right)
  if (isLeft(session)) return left({ outcome: 'rejected', problems: problemsOf(session, '') })
  const { id, task_id } = session.right
  return id === null
    ? left(rejected('id', fields.right['id'], 'is missing: a session needs one'))
    : right({ id, task_id: task_id ?? '' })
}
