import { random, SEED } from './random.ts'

/** One frame with the widths that real ones have (about 650 bytes as JSON). */
export interface BenchFrame {
  readonly task_session_id: string
  readonly task_id: string
  readonly turn_id: string
  readonly execution_id: string
  readonly tool_call_id: string
  readonly parent_tool_call_id: string
  readonly status: string
  readonly observed_at: string
  readonly normalized: {
    readonly kind: 'subagent_task'
    readonly subagent_task: {
      readonly description: string
      readonly prompt: string
      readonly subagent_type: string
      readonly status: string
      readonly agent_id: string
      readonly model: string
      readonly child_session_id: string
      readonly duration_ms: number
      readonly total_tokens: number
      readonly tool_use_count?: number
      readonly is_async: boolean
    }
  }
}

export const SESSIONS = 40
/** Subagents that run at the same time: their frames are mixed. */
const AT_ONCE = 16

export interface Session {
  readonly id: string
  readonly task_id: string
}

/** The parent sessions of all frames. */
export const sessions = (): readonly Session[] => {
  const { uuid } = random(SEED + 1)
  return Array.from({ length: SESSIONS }, () => ({ id: uuid(), task_id: uuid() }))
}

/** `count` frames in the order they arrive, `perRow` of each row; what is not known yet is empty or 0, as agents send it. */
export const frames = (count: number, perRow = 6): readonly BenchFrame[] => {
  const { below, hex, uuid } = random()
  const parents = sessions()
  const open: { session: Session; row: number; sent: number; turn: string; execution: string; call: string }[] = []
  const list: string[] = []
  let rows = 0
  let clock = Date.parse('2026-08-03T15:32:20Z')
  while (list.length < count) {
    while (open.length < AT_ONCE) {
      const session = parents[rows % SESSIONS] as Session // there are that many
      open.push({ session, row: rows++, sent: 0, turn: uuid(), execution: uuid(), call: `toolu_${hex(24)}` })
    }
    const at = below(AT_ONCE)
    const one = open[at] as (typeof open)[number]
    clock += 3
    one.sent++
    const isLast = one.sent === perRow
    const isKnown = one.sent > 2
    list.push(
      JSON.stringify({
        task_session_id: one.session.id,
        task_id: one.session.task_id,
        turn_id: one.turn,
        execution_id: one.execution,
        tool_call_id: one.call,
        parent_tool_call_id: '',
        status: isLast ? 'completed' : one.sent === 1 ? 'pending' : 'in_progress',
        observed_at: `${new Date(clock).toISOString().slice(0, -1)}000Z`,
        normalized: {
          kind: 'subagent_task',
          subagent_task: {
            description: `step ${one.row}`,
            prompt: 'p'.repeat(40),
            subagent_type: 'explore',
            status: isLast ? 'completed' : '',
            agent_id: isKnown ? one.execution.slice(0, 17) : '',
            model: isKnown ? 'claude-opus-5[1m]' : '',
            child_session_id: '',
            duration_ms: isLast ? 1_000 + one.row : 0,
            total_tokens: isLast ? 7_000 + one.row : 0,
            ...(isLast ? { tool_use_count: one.row % 40 } : {}),
            is_async: false,
          },
        },
      } satisfies BenchFrame),
    )
    if (isLast) open.splice(at, 1)
  }
  // Parsed one by one, as they arrive: no two frames share a text.
  return list.map((line): BenchFrame => JSON.parse(line))
}
