import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Fields, Flag, fieldsOf, Instant, isAbsent, Metric, problemsOf, Text } from './codecs.ts'
import { IGNORED, type Ignored, type Rejected, rejected } from './outcome.ts'
import { SUBAGENT_KIND } from './quick.ts'

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
  const recognised = fieldsOf(sent, '', ['normalized'])
  if (isLeft(recognised)) return recognised
  if (isAbsent(recognised.right['normalized'])) return left(IGNORED)
  const normalized = fieldsOf(recognised.right['normalized'], 'normalized', ['kind', 'subagent_task'])
  if (isLeft(normalized)) return normalized
  const { kind, subagent_task: sentPayload } = normalized.right
  if (kind !== SUBAGENT_KIND) {
    const isText = isAbsent(kind) || typeof kind === 'string'
    return left(isText ? IGNORED : rejected('normalized.kind', kind, 'is no text'))
  }
  const envelope = fieldsOf(sent, '', Object.keys(ENVELOPE))
  if (isLeft(envelope)) return envelope
  const payload = isAbsent(sentPayload) ? right({}) : fieldsOf(sentPayload, PAYLOAD_PATH, Object.keys(PAYLOAD))
  return isLeft(payload) ? payload : decodeFields(envelope.right, payload.right)
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
