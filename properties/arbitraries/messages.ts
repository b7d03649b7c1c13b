/** Histories of host messages: mostly about subagents, in every state that some host may have left them. */
import fc from 'fast-check'
import { type Message, TERMINAL_TOOL_STATUSES } from '../../src/subagents/index.ts'
import { BROKEN, objectText, stringText, valueText } from './json-texts.ts'
import { canonicalText, micros, spell, spelling } from './values.ts'

export const SESSIONS = ['s1', 's2', 'ß3'] as const

/** Mostly what a writer sends there, at times anything. */
const usually = (expected: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 4, arbitrary: expected }, { weight: 1, arbitrary: valueText() })

const metric = (): fc.Arbitrary<string> => usually(fc.constantFrom('0', '1', '70299', '9223372036854775807', '1e3', '-1'))
const status = (): fc.Arbitrary<string> =>
  fc.constantFrom(...TERMINAL_TOOL_STATUSES, 'in_progress', 'pending', 'async_launched', '').map((text) => JSON.stringify(text))

const payload = (): fc.Arbitrary<string> =>
  objectText([
    ['prompt', fc.constantFrom('"p"', '"\\u0000"', '"\\ud800"')],
    ...(['description', 'subagent_type', 'agent_id', 'model', 'child_session_id'] as const).map(
      (name) => [name, usually(stringText())] as const,
    ),
    ['status', usually(status())],
    ...(['total_tokens', 'tool_use_count', 'duration_ms'] as const).map((name) => [name, metric()] as const),
    ['is_async', usually(fc.constantFrom('true', 'false'))],
  ])

const normalized = (): fc.Arbitrary<string> =>
  objectText([
    [
      'kind',
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom('"subagent_task"', '"subagent\\u005ftask"', '"\\u0073ubagent_tas\\u006B"') },
        { weight: 1, arbitrary: valueText() },
      ),
    ],
    ['subagent_task', usually(payload())],
  ])

const document = (): fc.Arbitrary<string> =>
  objectText([
    ['tool_call_id', usually(fc.constantFrom('"t1"', '"t2"', '"t\\u0033"', '"t\\u0000"', '"t\\udfff"'))],
    ['status', usually(status())],
    ['parent_tool_call_id', usually(stringText())],
    ['normalized', fc.oneof({ weight: 9, arbitrary: normalized() }, { weight: 1, arbitrary: valueText() })],
  ])

/** Any text that a metadata column may hold. */
export const metadata = (): fc.Arbitrary<string | null> =>
  fc.oneof(
    { weight: 12, arbitrary: document() },
    { weight: 2, arbitrary: fc.constantFrom(...BROKEN) },
    { weight: 1, arbitrary: fc.tuple(document(), fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))) },
    { weight: 1, arbitrary: valueText() },
  )

/** An instant as each database may hold it. SQLite keeps any text; PostgreSQL has its own ways of naming no moment of ours. */
export interface StoredInstant {
  readonly sqlite: string
  readonly postgres: string
}

const HOSTILE: readonly StoredInstant[] = [
  ...[
    '',
    'now',
    '12:00',
    '2461256.5',
    '1754235140',
    '2026-02-30 00:00:00',
    '2026-08-03 24:00:00',
    '2026-08-03 15:32:60',
    '0000-01-01 00:00:00',
  ].map((sqlite) => ({ sqlite, postgres: 'infinity' })),
  ...[
    '2026-08-03 15:32:20.1.2',
    '2026-08-03 15:32:20+0200',
    '2026-08-03 15:32:20 x',
    '2026-08-03',
    '2026-08-03 15:32:20.1234567890',
  ].map((sqlite) => ({
    sqlite,
    postgres: '0044-03-15 12:00:00 BC',
  })),
]

export const storedInstant = (): fc.Arbitrary<StoredInstant> =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .tuple(micros(), spelling())
        .map(([at, how]) => ({ sqlite: spell(at, how), postgres: canonicalText(at).slice(0, -1) })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
  )

export interface StoredMessage extends Pick<Message, 'id' | 'task_session_id' | 'task_id' | 'turn_id' | 'metadata'> {
  readonly created: StoredInstant
  readonly updated: StoredInstant | null
}

/** A message as the model sees it on a database. */
export const messageOn = ({ created, updated, ...rest }: StoredMessage, dialect: 'sqlite' | 'postgres'): Message => ({
  ...rest,
  created_at: created[dialect],
  updated_at: updated?.[dialect] ?? null,
})

const storedMessage = (): fc.Arbitrary<StoredMessage> =>
  fc.record({
    id: fc.constantFrom('a', 'Z', '~', '\uFF5E', '😀'), // made unique below; their order by bytes is not that of UTF-16
    task_session_id: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...SESSIONS) },
      { weight: 1, arbitrary: fc.constantFrom('gone', '', null) },
    ),
    task_id: fc.oneof({ weight: 8, arbitrary: fc.constant('task') }, { weight: 1, arbitrary: fc.constantFrom('', null) }),
    turn_id: fc.constantFrom('turn', 'turn 2', '', null),
    metadata: metadata(),
    created: storedInstant(),
    updated: fc.oneof({ weight: 8, arbitrary: storedInstant() }, { weight: 1, arbitrary: fc.constant(null) }),
  })

/** Some dozens of messages, ids unique. */
export const messages = (): fc.Arbitrary<readonly StoredMessage[]> =>
  fc
    .array(storedMessage(), { minLength: 1, maxLength: 40, size: 'max' }) // one statement projects them all, so many cost little
    .map((list) => list.map((message, at) => ({ ...message, id: `${message.id}${at % 7}-${at}` })))
