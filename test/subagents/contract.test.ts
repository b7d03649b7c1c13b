import { expect, it } from 'vitest'
import { lawsOf } from '../../src/index.ts'
import { subagentContexts } from '../../src/subagents/index.ts'
import { specText } from '../support/spec.ts'

/** Name, type in the spec, may it be NULL: the data model's rows, in its order. */
const DATA_MODEL = [
  ['id', 'TEXT PK', 'no'],
  ['task_session_id', 'TEXT', 'no'],
  ['task_id', 'TEXT', 'no'],
  ['turn_id', 'TEXT', 'yes'],
  ['agent_execution_id', 'TEXT', 'no'],
  ['tool_call_id', 'TEXT', 'no'],
  ['parent_tool_call_id', 'TEXT', 'yes'],
  ['subagent_type', 'TEXT', 'yes'],
  ['description', 'TEXT', 'yes'],
  ['agent_id', 'TEXT', 'yes'],
  ['child_session_id', 'TEXT', 'yes'],
  ['model', 'TEXT', 'yes'],
  ['agent_status', 'TEXT', 'yes'],
  ['tool_status', 'TEXT', 'yes'],
  ['is_async', 'INTEGER', 'no'],
  ['total_tokens', 'INTEGER', 'yes'],
  ['tool_use_count', 'INTEGER', 'yes'],
  ['duration_ms', 'INTEGER', 'yes'],
  ['source', 'TEXT', 'no'],
  ['observed_at', 'TIMESTAMP', 'no'],
  ['settled_at', 'TIMESTAMP', 'yes'],
  ['updated_at', 'TIMESTAMP', 'no'],
]
const TYPES: Readonly<Record<string, string>> = { text: 'TEXT', bool: 'INTEGER', int64: 'INTEGER', instant: 'TIMESTAMP' }

/** The spec's own table, where the spec is there. */
const specTable = () => {
  const spec = specText()
  if (spec === undefined) return DATA_MODEL
  const table = spec.slice(spec.indexOf('## Data model'), spec.indexOf('\nConstraints and indexes'))
  return [...table.matchAll(/^\| `(\w+)` \| ([\w ]+) \| \**(\w+)\** \|/gm)].map(([, name, type, nullable]) => [
    name,
    type,
    nullable,
  ])
}

it('data model: the columns, their order, types and nullability are the spec’s', () => {
  expect(specTable()).toEqual(DATA_MODEL)
  const columns = Object.entries(subagentContexts.columns).map(([name, { type, nullable }]) => [
    name,
    TYPES[type],
    nullable ? 'yes' : 'no',
  ])
  expect(columns).toEqual(DATA_MODEL.map(([name, type, nullable]) => [name, type?.replace(' PK', ''), nullable]))
})

it('data model: key, primary key, indexes and the one foreign key', () => {
  expect(subagentContexts.key).toEqual(['task_session_id', 'agent_execution_id', 'tool_call_id'])
  expect(subagentContexts.primaryKey).toEqual(['id'])
  expect(subagentContexts.indexes.map(({ columns }) => columns)).toEqual([
    ['task_session_id'],
    ['task_id'],
    ['turn_id'],
    ['observed_at'],
  ])
  expect(subagentContexts.foreignKeys).toEqual([
    { columns: ['task_session_id'], references: { table: 'task_sessions', columns: ['id'] }, onDelete: 'cascade' },
  ])
})

it('AC-7: no metric has a default, on any path', () => {
  for (const name of ['total_tokens', 'tool_use_count', 'duration_ms'] as const) {
    expect(subagentContexts.columns[name]).not.toHaveProperty('default')
  }
})

it('AC-14: a fold of the first contract is what single upserts leave: its laws say so', () => {
  expect(lawsOf(subagentContexts).contract).toContain('foldable')
})
