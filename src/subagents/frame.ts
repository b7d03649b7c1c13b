import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { INT64_MAX, INT64_MIN } from '../rules/index.ts'
import { toInstant } from '../util/instant.ts'
import { IGNORED, type Ignored, type Problem, problem, type Rejected, rejected } from './outcome.ts'

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

const Text = absentable('text', (sent) => (typeof sent === 'string' ? sent : undefined))
const Flag = absentable('boolean (true or false)', (sent) => (typeof sent === 'boolean' ? sent : undefined))
const Instant = absentable('RFC 3339 instant with an offset (for example 2026-08-03T15:32:20.123456Z)', (sent) =>
  typeof sent === 'string' ? toInstant(sent, true) : undefined,
)
const Metric = absentable('integer written in digits, from -2^63 to 2^63-1', (sent) => {
  const value = typeof sent === 'number' && Number.isSafeInteger(sent) ? BigInt(sent) : sent
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX ? value : undefined
})

const ENVELOPE = {
  task_session_id: Text,
  task_id: Text,
  turn_id: Text,
  execution_id: Text,
  tool_call_id: Text,
  parent_tool_call_id: Text,
  status: Text,
  observed_at: Instant,
}

/** `prompt`, `result_text` and `output_file` are not here: they are never stored, so nothing about them can make a frame unusable. */
const PAYLOAD = {
  description: Text,
  subagent_type: Text,
  status: Text,
  agent_id: Text,
  model: Text,
  child_session_id: Text,
  duration_ms: Metric,
  total_tokens: Metric,
  tool_use_count: Metric,
  is_async: Flag,
}

const Envelope = t.type(ENVELOPE)
const Payload = t.type(PAYLOAD)

/** One observation of a subagent's tool call; null is "not reported". */
export interface Frame extends t.TypeOf<typeof Envelope> {
  /** The ACP status of the launching tool call; the subagent's own report is `subagent.status`. */
  readonly status: string | null
  /** When it was observed; null leaves that to the writer's clock. */
  readonly observed_at: string | null
  readonly subagent: t.TypeOf<typeof Payload>
}

/** The one `normalized.kind` that is recorded. */
const SUBAGENT_KIND = 'subagent_task'

/**
 * Decodes one frame as `JSON.parse` or `parseFrameText` gives it. Unknown fields are ignored.
 *
 * Recognition comes first: a frame without `normalized`, or of another kind, is `ignored` and no other field of it is looked at.
 * Of a recognised frame every known field is checked, and each bad one is named. An absent `subagent_task` reports nothing.
 */
export const decodeFrame = (sent: unknown): Either<Ignored | Rejected, Frame> => {
  try {
    return decode(sent)
  } catch {
    // Only an object with code of its own (a getter, a proxy) gets here.
    return left(rejected('', undefined, 'its fields cannot be read'))
  }
}

const decode = (sent: unknown): Either<Ignored | Rejected, Frame> => {
  const frame = fieldsOf(sent, '', [...Object.keys(ENVELOPE), 'normalized'])
  if (isLeft(frame)) return frame
  if (isAbsent(frame.right['normalized'])) return left(IGNORED)
  const normalized = fieldsOf(frame.right['normalized'], 'normalized', ['kind', 'subagent_task'])
  if (isLeft(normalized)) return normalized
  const { kind, subagent_task: sentPayload } = normalized.right
  if (kind !== SUBAGENT_KIND) {
    const isText = isAbsent(kind) || typeof kind === 'string'
    return left(isText ? IGNORED : rejected('normalized.kind', kind, 'is no text'))
  }
  const payload = isAbsent(sentPayload) ? right({}) : fieldsOf(sentPayload, PAYLOAD_PATH, Object.keys(PAYLOAD))
  return isLeft(payload) ? payload : decodeFields(frame.right, payload.right)
}

const PAYLOAD_PATH = 'normalized.subagent_task'

const decodeFields = (sentEnvelope: Fields, sentPayload: Fields): Either<Rejected, Frame> => {
  const envelope = Envelope.decode(sentEnvelope)
  const payload = Payload.decode(sentPayload)
  if (isLeft(envelope) || isLeft(payload)) {
    const problems = [...problemsOf(envelope, ''), ...problemsOf(payload, `${PAYLOAD_PATH}.`)]
    return left({ outcome: 'rejected', problems })
  }
  return right({ ...envelope.right, subagent: payload.right })
}

const problemsOf = (decoded: t.Validation<unknown>, path: string): readonly Problem[] =>
  isLeft(decoded)
    ? decoded.left.map(({ context, value, message }) => problem(`${path}${context.at(-1)?.key ?? ''}`, value, message ?? 'is wrong'))
    : []

const isAbsent = (sent: unknown): boolean => sent === undefined || sent === null || sent === ''

type Fields = Readonly<Record<string, unknown>>

/** The object's own fields of these names, so that neither a prototype nor a field named `__proto__` can stand for one. */
const fieldsOf = (sent: unknown, path: string, names: readonly string[]): Either<Rejected, Fields> => {
  if (!t.UnknownRecord.is(sent)) return left(rejected(path, sent, 'is no JSON object'))
  return right(Object.fromEntries(names.map((name) => [name, Object.hasOwn(sent, name) ? sent[name] : undefined])))
}
