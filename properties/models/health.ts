/** AC-28 and AC-29 as sets and a maximum: the messages and rows of a store, and what a health check must say of them. */
import { isRight } from 'fp-ts/lib/Either.js'
import { isCandidate, type Message, projectMessage, subagentContexts } from '../../src/subagents/index.ts'

/** A row of our table, as far as health looks at it; the instant canonical. */
export interface ObservedRow {
  readonly task_session_id: string
  readonly tool_call_id: string
  readonly observed_at: string
}

export interface Verdict {
  readonly state: 'shortfall' | 'nothing_since_activation' | 'healthy'
  readonly missing: readonly string[]
  readonly newest: string | null
  readonly excess: number
  readonly collisions: number
}

const names = Object.keys(subagentContexts.columns)
const OBSERVED_AT = names.indexOf('observed_at')

const keyText = (session: unknown, call: unknown): string => JSON.stringify([session, call])

/** The key of a message of the kind in the window; undefined for any other. With `anyTask`, its own task does not matter. */
const keyOf = (message: Message, since: string, anyTask: boolean): string | undefined => {
  const projected = projectMessage(anyTask ? { ...message, task_id: 'any' } : message)
  if (!isCandidate(message) || !isRight(projected) || String(projected.right[OBSERVED_AT]) < since) return undefined
  return keyText(projected.right[names.indexOf('task_session_id')], projected.right[names.indexOf('tool_call_id')])
}

/** `since` is the key as the instant it stands for, to the microsecond: canonical texts compare as their instants do. */
export const healthOf = (
  messages: readonly Message[],
  rows: readonly ObservedRow[],
  since: string,
  isParent: (sessionId: string) => boolean,
): Verdict => {
  const inWindow = rows.filter(({ observed_at }) => observed_at >= since)
  const observed = new Set(inWindow.map((row) => keyText(row.task_session_id, row.tool_call_id)))
  const expected = messages
    .filter(({ task_session_id }) => isParent(task_session_id ?? ''))
    .map((message) => keyOf(message, since, false))
  const accounted = new Set(messages.map((message) => keyOf(message, since, true)))
  const missing = [...new Set(expected)].filter((key): key is string => key !== undefined && !observed.has(key)).sort()
  const newest =
    inWindow
      .map(({ observed_at }) => observed_at)
      .sort()
      .at(-1) ?? null
  return {
    state: missing.length > 0 ? 'shortfall' : newest === null ? 'nothing_since_activation' : 'healthy',
    missing,
    newest,
    excess: [...observed].filter((key) => !accounted.has(key)).length,
    collisions: inWindow.length - observed.size,
  }
}
