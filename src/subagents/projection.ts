import { randomUUID } from 'node:crypto'
import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { compileCandidate, compileProjection, defineProjection, type SkipReason, type Tuple } from '../rules/index.ts'
import { compareCodePoints } from '../util/code-points.ts'
import { subagentContexts, UNKNOWN_EXECUTION } from './contract.ts'
import { TERMINAL_TOOL_STATUSES } from './terminal.ts'

const own = (...columns: readonly string[]) => ({ kind: 'source', columns }) as const
const top = (name: string) => ({ kind: 'json', path: [name] }) as const
const payload = (name: string) => ({ kind: 'json', path: ['normalized', 'subagent_task', name] }) as const

/**
 * How a row follows from a historical message: AC-21's table of sources, as data.
 *
 * `turn_id` is the message's own column and `tool_status` the top-level status; neither stands in the payload (AC-21).
 */
export const subagentProjection = defineProjection(subagentContexts, {
  table: 'task_session_messages',
  id: 'id',
  document: 'metadata',
  kind: { path: ['normalized', 'kind'], equals: 'subagent_task' },
  columns: {
    id: { kind: 'uuid' },
    task_session_id: own('task_session_id'),
    task_id: own('task_id'),
    turn_id: own('turn_id'),
    agent_execution_id: { kind: 'constant', value: UNKNOWN_EXECUTION },
    tool_call_id: top('tool_call_id'),
    parent_tool_call_id: top('parent_tool_call_id'),
    subagent_type: payload('subagent_type'),
    description: payload('description'),
    agent_id: payload('agent_id'),
    child_session_id: payload('child_session_id'),
    model: payload('model'),
    agent_status: payload('status'),
    tool_status: top('status'),
    is_async: payload('is_async'),
    total_tokens: payload('total_tokens'),
    tool_use_count: payload('tool_use_count'),
    duration_ms: payload('duration_ms'),
    source: { kind: 'constant', value: 'backfill' },
    observed_at: own('created_at'),
    // AC-23a; a NULL here would let a later frame un-settle the row, so an unreadable updated_at falls back.
    settled_at: {
      kind: 'when',
      column: 'tool_status',
      isOneOf: [...TERMINAL_TOOL_STATUSES],
      from: own('updated_at', 'created_at'),
    },
    updated_at: own('updated_at', 'created_at'),
  },
  identity: ['task_session_id', 'task_id', 'tool_call_id'],
  at: 'observed_at',
})

/** A message of the host, the columns that the backfill reads. */
export interface Message {
  readonly id: string | null
  readonly task_session_id: string | null
  readonly task_id: string | null
  readonly turn_id: string | null
  readonly metadata: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

const project = compileProjection(subagentContexts, subagentProjection)

/** The row that a message yields by itself, or why it yields none (AC-21, AC-21a, AC-23). Never throws, whatever its metadata is. */
export const projectMessage = (message: Message, newId: () => string = randomUUID): Either<SkipReason, Tuple> =>
  project({ ...message }, newId)

/** True when the text of the metadata may hold a subagent task: what the backfill looks at more closely. */
export const isCandidate = ({ metadata }: Pick<Message, 'metadata'>): boolean => mayQualify({ metadata })

const mayQualify = compileCandidate(subagentProjection)

/** What a backfill of these messages gives. */
export interface BackfillModel {
  /** One row per key, of the newest message (AC-21b). */
  readonly rows: readonly Tuple[]
  readonly candidates: number
  readonly qualifying: number
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>
  /** The newest qualifying instant, undefined when nothing qualified. */
  readonly through: string | undefined
}

const names = Object.keys(subagentContexts.columns)
const at = (tuple: Tuple, name: string): string => String(tuple[names.indexOf(name)])

/** The backfill as a function: for tests and for reading; the SQL is compared with it. `isParent` tells which sessions exist. */
export const backfillOf = (messages: readonly Message[], isParent: (sessionId: string) => boolean): BackfillModel => {
  const candidates = messages.filter(isCandidate)
  const skipped: Partial<Record<SkipReason, number>> = {}
  const skip = (reason: SkipReason): void => {
    skipped[reason] = (skipped[reason] ?? 0) + 1
  }
  const qualifying: { readonly id: string; readonly tuple: Tuple }[] = []
  for (const message of candidates) {
    const projected = projectMessage(message)
    if (isLeft(projected)) skip(projected.left)
    else if (!isParent(at(projected.right, 'task_session_id'))) skip('orphan')
    else qualifying.push({ id: message.id ?? '', tuple: projected.right })
  }
  const newestFirst = qualifying.toSorted(
    (a, b) => compareCodePoints(at(b.tuple, 'observed_at'), at(a.tuple, 'observed_at')) || compareCodePoints(b.id, a.id),
  )
  const winners = new Map<string, Tuple>()
  for (const { tuple } of newestFirst) {
    const key = JSON.stringify([at(tuple, 'task_session_id'), at(tuple, 'tool_call_id')])
    if (winners.has(key)) skip('superseded')
    else winners.set(key, tuple)
  }
  const [newest] = newestFirst
  return {
    rows: [...winners.values()],
    candidates: candidates.length,
    qualifying: qualifying.length,
    skipped,
    through: newest && at(newest.tuple, 'observed_at'),
  }
}
