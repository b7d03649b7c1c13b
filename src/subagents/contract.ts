import {
  boolOr,
  defineContract,
  firstNonNull,
  frozenBy,
  key,
  lastNonNull,
  type Stored,
  touch,
  writeOnce,
} from '../rules/index.ts'

/** Stands for "no execution identity was reported" (AC-31). No real one, always a UUID, can be this text. */
export const UNKNOWN_EXECUTION = 'unknown'

/**
 * The first contract: one row per subagent invocation, linked to the session and turn that spawned it.
 *
 * Columns in the order of the spec's data model; each merge rule is the spec's own (AC-1 to AC-12, AC-30 to AC-32).
 */
export const subagentContexts = defineContract({
  table: 'task_session_subagents',
  key: ['task_session_id', 'agent_execution_id', 'tool_call_id'],
  columns: {
    id: { type: 'text', rule: writeOnce() },
    task_session_id: { type: 'text', rule: key() },
    task_id: { type: 'text', rule: writeOnce() },
    turn_id: { type: 'text', nullable: true, rule: firstNonNull() },
    agent_execution_id: { type: 'text', rule: key({ absentAs: UNKNOWN_EXECUTION }) },
    tool_call_id: { type: 'text', rule: key() },
    parent_tool_call_id: { type: 'text', nullable: true, rule: lastNonNull() },
    subagent_type: { type: 'text', nullable: true, rule: lastNonNull() },
    description: { type: 'text', nullable: true, rule: lastNonNull() },
    agent_id: { type: 'text', nullable: true, rule: lastNonNull() },
    child_session_id: { type: 'text', nullable: true, rule: lastNonNull() },
    model: { type: 'text', nullable: true, rule: lastNonNull() },
    agent_status: { type: 'text', nullable: true, rule: lastNonNull() },
    tool_status: { type: 'text', nullable: true, rule: frozenBy('settled_at', lastNonNull()) },
    is_async: { type: 'bool', default: false, rule: boolOr() },
    total_tokens: { type: 'int64', nullable: true, absent: ['zero', 'negative'], rule: lastNonNull() },
    tool_use_count: { type: 'int64', nullable: true, absent: ['negative'], rule: lastNonNull() },
    duration_ms: { type: 'int64', nullable: true, absent: ['zero', 'negative'], rule: lastNonNull() },
    source: { type: 'text', default: 'live', rule: writeOnce() },
    observed_at: { type: 'instant', rule: writeOnce() },
    settled_at: { type: 'instant', nullable: true, rule: firstNonNull() },
    updated_at: { type: 'instant', rule: touch() },
  },
  primaryKey: ['id'],
  // By session, then AC-13's order, which is total within a session.
  readOrder: ['task_session_id', 'observed_at', 'tool_call_id', 'agent_execution_id'],
  indexes: [
    { name: 'idx_subagents_session_id', columns: ['task_session_id'] },
    { name: 'idx_subagents_task_id', columns: ['task_id'] },
    { name: 'idx_subagents_turn_id', columns: ['turn_id'] },
    { name: 'idx_subagents_observed_at', columns: ['observed_at'] },
  ],
  // turn_id and agent_execution_id carry none, by design: the measurement outlives the turn and the execution it measured.
  foreignKeys: [{ columns: ['task_session_id'], references: { table: 'task_sessions', columns: ['id'] }, onDelete: 'cascade' }],
})

/** One row of `task_session_subagents`, as every reader here gives it. */
export type SubagentContext = Stored<typeof subagentContexts>
