/** Frames for the first contract as a file's lines decode: few identities, so that they meet; every way to say nothing, or too much. */
import fc from 'fast-check'
import { canonicalText, micros, SPECIAL_INTEGERS, SPECIAL_TEXTS, spell, spelling } from './values.ts'

export type Json = null | boolean | number | bigint | string | { readonly [name: string]: Json }

/** A frame as JSON; what it means is the model's business. */
export interface FrameJson {
  readonly [name: string]: Json
}

/** A row that the backfill wrote before the frames came: under the sentinel, and with a source of its own (AC-1, AC-22). */
export interface BackfilledRow {
  readonly task_session_id: string
  readonly tool_call_id: string
  readonly task_id: string
  readonly turn_id: string | null
  readonly model: string | null
  readonly tool_status: string | null
  readonly total_tokens: bigint | null
  readonly observed_at: string
  readonly settled_at: string | null
}

export const SESSIONS = ['s1', 's2'] as const
/** A session no parent row exists for: a write that fails (AC-27). */
const ORPHAN = 's-orphan'
/** Turns of frames, and the one of backfilled rows. */
export const TURNS = ['u1', 'u2', 'u-old'] as const
const CALLS = ['c1', 'c2'] as const
export const TERMINAL = ['complete', 'completed', 'success', 'error', 'failed', 'cancelled'] as const
/** Statuses that settle nothing, among them near misses of those that do. */
const OPEN = ['pending', 'in_progress', 'COMPLETED', ' completed', 'canceled', 'done', 'async_launched', 'unknown'] as const

const NOTHING: readonly Json[] = [null, '']

/** A field of these weights; `undefined` leaves it out. */
const field = <T extends Json>(values: fc.Arbitrary<T>, missing = 1): fc.Arbitrary<Json | undefined> =>
  fc.oneof(
    { weight: 5, arbitrary: values },
    { weight: 1, arbitrary: fc.constantFrom(...NOTHING) },
    { weight: missing, arbitrary: fc.constant(undefined) },
  )

const label = (...usual: readonly string[]): fc.Arbitrary<Json | undefined> =>
  field(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...SPECIAL_TEXTS) }),
    3,
  )

const metric = (): fc.Arbitrary<Json | undefined> =>
  field(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom<Json[]>(7n, 11, 0, 0n, -1, -5n) },
      { weight: 1, arbitrary: fc.constantFrom<Json[]>(...SPECIAL_INTEGERS) },
    ),
    3,
  )

/** An instant with an offset, as RFC 3339 has it. */
const observedAt = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 2, arbitrary: micros().map(canonicalText) },
    {
      weight: 1,
      arbitrary: fc.tuple(micros(), spelling()).map(([at, how]) => spell(at, how.zone === '' ? { ...how, zone: 'Z' } : how)),
    },
  )

const present = (fields: Readonly<Record<string, Json | undefined>>): FrameJson =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))

const payload = (): fc.Arbitrary<Json> =>
  fc
    .record<Record<string, Json | undefined>>({
      description: label('d1', 'd2'),
      prompt: field(fc.constantFrom<Json[]>('p', 5, true), 3), // never stored, so never looked at
      subagent_type: label('explore', 'review'),
      status: label('completed', 'async_launched', 'started'),
      agent_id: label('a1', 'a2'),
      model: label('m1', 'm2'),
      child_session_id: label('k1', 'k2'),
      duration_ms: metric(),
      total_tokens: metric(),
      tool_use_count: metric(),
      is_async: field(fc.boolean(), 3),
    })
    .map(present)

const normalized = (): fc.Arbitrary<Json | undefined> =>
  fc.oneof(
    {
      weight: 16,
      arbitrary: field(payload(), 1).map((subagent_task) => present({ kind: 'subagent_task', subagent_task })),
    },
    { weight: 1, arbitrary: fc.constantFrom<(Json | undefined)[]>(undefined, null, {}, { kind: 'shell_exec' }, { kind: null }) },
  )

/** One frame in twenty carries something that is not what the field holds, and is rejected whole. */
const broken = (): fc.Arbitrary<FrameJson> =>
  fc.oneof(
    { weight: 19, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<FrameJson[]>(
        ...[{ observed_at: 'yesterday' }, { observed_at: '2026-08-03T15:32:20' }, { status: 5 }, { turn_id: true }],
        ...[12.5, '12', true, 2n ** 63n].map((total_tokens) => ({
          normalized: { kind: 'subagent_task', subagent_task: { total_tokens } },
        })),
      ),
    },
  )

const frame = (): fc.Arbitrary<FrameJson> =>
  fc
    .tuple(
      fc.record<Record<string, Json | undefined>>({
        task_session_id: fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom<(Json | undefined)[]>('s1', 's1', 's1', 's1', 's1', 's2') },
          { weight: 1, arbitrary: fc.constantFrom<(Json | undefined)[]>('', null, undefined, ORPHAN) },
        ),
        task_id: fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom('t1', 't2') },
          { weight: 1, arbitrary: fc.constantFrom(...NOTHING, undefined) },
        ),
        turn_id: field(fc.constantFrom('u1', 'u2'), 2),
        execution_id: field(fc.constantFrom('e1', 'e1', 'e1', 'e2'), 1),
        tool_call_id: fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom('c1', 'c1', 'c1', 'c1', 'c2') },
          { weight: 1, arbitrary: fc.constantFrom<(Json | undefined)[]>('', null, undefined, 'c\0', 'c\uFFFD', '🜁', '\uFF5E') },
        ),
        parent_tool_call_id: label('p1', 'p2'),
        status: field(
          fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...OPEN) }, { weight: 1, arbitrary: fc.constantFrom(...TERMINAL) }),
          2,
        ),
        observed_at: fc.option(observedAt(), { nil: undefined }),
        normalized: normalized(),
      }),
      broken(),
    )
    .map(([fields, wrong]) => ({ ...present(fields), ...wrong }))

/** Frames in the order they commit; every fifth is an earlier one again. `fc.array` bounds the length by its own size (10). */
export const frames = (): fc.Arbitrary<readonly FrameJson[]> =>
  fc
    .array(
      fc.oneof({ weight: 4, arbitrary: fc.record({ sent: frame() }) }, { weight: 1, arbitrary: fc.record({ again: fc.nat() }) }),
    )
    .map((entries) => {
      const sent: FrameJson[] = []
      for (const entry of entries) {
        const one = 'sent' in entry ? entry.sent : sent[entry.again % Math.max(1, sent.length)]
        if (one !== undefined) sent.push(one)
      }
      return sent
    })

const backfilledRow = (): fc.Arbitrary<BackfilledRow> =>
  fc
    .record({
      task_session_id: fc.constantFrom(...SESSIONS),
      tool_call_id: fc.constantFrom(...CALLS),
      task_id: fc.constantFrom('t1', 't-old'),
      turn_id: fc.constantFrom(null, 'u-old'),
      model: fc.constantFrom(null, 'm-old'),
      tool_status: fc.constantFrom(null, 'pending', 'completed'),
      total_tokens: fc.constantFrom(null, 3n),
      observed_at: micros().map(canonicalText),
    })
    .map((row) => ({ ...row, settled_at: row.tool_status === 'completed' ? row.observed_at : null }))

export interface FrameHistory {
  /** At most one row a key: the backfill writes each key once. */
  readonly backfilled: readonly BackfilledRow[]
  readonly frames: readonly FrameJson[]
}

export const frameHistory = (): fc.Arbitrary<FrameHistory> =>
  fc.record({
    backfilled: fc.uniqueArray(backfilledRow(), {
      maxLength: 2, // there are four keys, and most histories should begin on an empty table
      selector: ({ task_session_id, tool_call_id }) => `${task_session_id} ${tool_call_id}`,
    }),
    frames: frames(),
  })
