/** A table of messages as an installation has: 1.4 KB each, 3 % of them about a subagent. */
import { random, SEED } from './random.ts'

export interface Message {
  readonly id: string
  readonly task_session_id: string
  readonly task_id: string
  readonly turn_id: string
  readonly type: string
  readonly content: string
  readonly metadata: string
  readonly created_at: string
  readonly updated_at: string
}

const SUBAGENT_SHARE = 0.03

/** Seconds between two messages: 200,000 of them are ten months. */
export const APART = 130
export const START = Date.parse('2025-08-01T00:00:00Z')

const secondsAfterStart = (seconds: number): string =>
  `${new Date(START + seconds * 1_000).toISOString().slice(0, -1).replace('T', ' ')}000`

/** Messages in the order they were written. */
export function* messages(
  count: number,
  parents: readonly { readonly id: string; readonly task_id: string }[],
): Generator<Message> {
  const { next, below, hex, uuid } = random(SEED + 2)
  const filler = hex(1_200)
  for (let at = 0; at < count; at++) {
    const parent = parents[at % parents.length] as (typeof parents)[number]
    const isSubagent = next() < SUBAGENT_SHARE
    const call = `toolu_${hex(24)}`
    const normalized = isSubagent
      ? {
          kind: 'subagent_task',
          subagent_task: {
            description: `step ${at}`,
            prompt: filler.slice(0, 900),
            subagent_type: 'explore',
            status: 'completed',
            agent_id: hex(17),
            model: 'claude-opus-5[1m]',
            duration_ms: 1_000 + below(9_000),
            total_tokens: 10_000 + below(90_000),
            tool_use_count: below(40),
          },
        }
      : { kind: 'shell_exec', shell_exec: { command: 'npm test', output: filler } }
    yield {
      id: uuid(),
      task_session_id: parent.id,
      task_id: parent.task_id,
      turn_id: uuid(),
      type: 'tool_call',
      content: isSubagent ? 'Subagent' : 'Shell',
      metadata: JSON.stringify({ tool_call_id: call, status: 'completed', normalized }),
      created_at: secondsAfterStart(at * APART),
      updated_at: secondsAfterStart(at * APART + 20),
    }
  }
}
