/** Wrong implementations of the first contract, each a mistake somebody could make in good faith. The suite must catch every one. */
import type { Program } from '../../src/index.ts'
import type { FrameJson } from '../arbitraries/frames.ts'
import { alsoSet, around, inRow, inSql, type Mutant, reported } from './plant.ts'

const first = (column: string): string => `COALESCE(stored."${column}", excluded."${column}")`
const last = (column: string): string => `COALESCE(excluded."${column}", stored."${column}")`
const FREEZE = 'WHEN stored."settled_at" IS NOT NULL THEN stored."tool_status"'
const LAST_WINS = [
  'parent_tool_call_id',
  'subagent_type',
  'description',
  'agent_id',
  'child_session_id',
  'model',
  'agent_status',
] as const
const METRICS = ['total_tokens', 'tool_use_count', 'duration_ms'] as const

const isZero = (column: string) => (frame: FrameJson) => Number(reported(frame, column) ?? Number.NaN) === 0
const isNegative = (column: string) => (frame: FrameJson) => Number(reported(frame, column) ?? 0) < 0
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const swapped = LAST_WINS.map((column) =>
  inSql(`excluded and stored swapped in ${column}`, 'AC-5', [[last(column), first(column)]]),
)
const bare = [...LAST_WINS, ...METRICS].map((column) =>
  inSql(`COALESCE missing on ${column}`, 'AC-4', [[last(column), `excluded."${column}"`]]),
)

const writeOnceColumns: readonly Mutant[] = [
  inSql('source relabelled live', 'AC-1', [alsoSet('source', 'excluded."source"')]),
  inSql('task_id overwritten', 'AC-5', [alsoSet('task_id', 'excluded."task_id"')]),
  inSql('id overwritten', 'AC-14', [alsoSet('id', 'excluded."id"')]),
  inSql('observed_at last-wins', 'AC-1a', [alsoSet('observed_at', 'excluded."observed_at"')]),
  inSql('observed_at as the minimum', 'AC-1a', [
    alsoSet(
      'observed_at',
      'CASE WHEN excluded."observed_at" < stored."observed_at" THEN excluded."observed_at" ELSE stored."observed_at" END',
    ),
  ]),
]

const settlement: readonly Mutant[] = [
  inSql('freeze on the incoming row', 'AC-12', [[FREEZE, FREEZE.replace('WHEN stored', 'WHEN excluded')]]),
  inSql('freeze on agent_status', 'AC-11', [[FREEZE, FREEZE.replace('settled_at', 'agent_status')]]),
  inSql('no freeze', 'AC-12', [[FREEZE, 'WHEN FALSE THEN stored."tool_status"']]),
  inSql('a later terminal frame overwrites a settled tool_status', 'AC-12', [
    [FREEZE, FREEZE.replace(' THEN', ' AND excluded."settled_at" IS NULL THEN')],
  ]),
  inSql('settled_at last-wins', 'AC-11', [[first('settled_at'), last('settled_at')]]),
  inSql('settled_at by agent_status', 'AC-11', [
    [
      first('settled_at'),
      `COALESCE(stored."settled_at", CASE WHEN excluded."agent_status" = 'completed' THEN excluded."updated_at" END)`,
    ],
  ]),
  inRow('terminal set of three values', 'AC-11', (row) =>
    ['complete', 'success', 'error'].includes(text(row['tool_status'])) ? { ...row, settled_at: null } : row,
  ),
  ...LAST_WINS.map((column) =>
    inSql(`post-settlement frame only fills NULLs in ${column}`, 'AC-12', [
      [`= ${last(column)}`, `= CASE WHEN stored."settled_at" IS NOT NULL THEN ${first(column)} ELSE ${last(column)} END`],
    ]),
  ),
]

const metrics: readonly Mutant[] = [
  ...METRICS.map((column) =>
    inRow(`an unreported ${column} stored as 0 (what DEFAULT 0 does)`, 'AC-7', (row) => ({
      ...row,
      [column]: row[column] ?? 0n,
    })),
  ),
  ...(['total_tokens', 'duration_ms'] as const).map((column) =>
    inSql(`zero blanks a stored ${column}`, 'AC-7a', [[last(column), `excluded."${column}"`]], isZero(column)),
  ),
  ...METRICS.map((column) =>
    inSql(`negative blanks a stored ${column}`, 'AC-9', [[last(column), `excluded."${column}"`]], isNegative(column)),
  ),
  inRow('a reported zero of tool uses read as absent', 'AC-8', (row) =>
    row['tool_use_count'] === 0n ? { ...row, tool_use_count: null } : row,
  ),
  inRow('int64 through a float', 'AC-7', (row) => ({
    ...row,
    total_tokens: typeof row['total_tokens'] === 'bigint' ? BigInt.asIntN(64, BigInt(Number(row['total_tokens']))) : null,
  })),
]

const flagsAndTurns: readonly Mutant[] = [
  inSql('turn_id last-wins', 'AC-2a', [[first('turn_id'), last('turn_id')]]),
  inSql('turn_id frozen at NULL', 'AC-2a', [[first('turn_id'), 'stored."turn_id"']]),
  inSql('is_async reset', 'AC-14', [[/"is_async" = CASE WHEN .* END/g, '"is_async" = excluded."is_async"']]),
  inSql('is_async by the first frame', 'AC-14', [[/"is_async" = CASE WHEN .* END/g, '"is_async" = stored."is_async"']]),
  inSql('updated_at last-wins', 'AC-14', [[/"updated_at" = CASE\n[\s\S]*?\n {2}END/g, '"updated_at" = excluded."updated_at"']]),
]

/** A frame with a real execution takes over the row that was written without one. */
function* upgradeUnknown(frame: FrameJson): Program<void> {
  const [execution, session, call] = ['execution_id', 'task_session_id', 'tool_call_id'].map((name) =>
    text(frame[name]).replaceAll("'", "''"),
  )
  if (execution === '') return
  const row = `FROM task_session_subagents WHERE task_session_id = '${session}' AND tool_call_id = '${call}'`
  const isFree = `NOT EXISTS (SELECT 1 ${row} AND agent_execution_id = '${execution}')`
  const sql = `UPDATE task_session_subagents SET agent_execution_id = '${execution}' WHERE id IN (SELECT id ${row} AND agent_execution_id = 'unknown') AND ${isFree}`
  yield { kind: 'script', name: 'upgrade', sql: sql.replaceAll('\0', '\uFFFD') }
}

const reads: readonly Mutant[] = [
  inSql('reads without the last tiebreak', 'AC-13', [
    [/,\n\s+(?:\(stored\."agent_execution_id" \|\| CHAR\(0\)\) COLLATE RTRIM|stored\."agent_execution_id" COLLATE "C")$/g, ''],
  ]),
  inSql('reads by id among ties', 'AC-13', [[/\bstored\."tool_call_id"(?= COLLATE "C",\n| \|\| CHAR\(0\))/g, 'stored."id"']]),
]

const identity: readonly Mutant[] = [
  inSql('two-column key', 'AC-32', [
    ['("task_session_id", "agent_execution_id", "tool_call_id")', '("task_session_id", "tool_call_id")'],
  ]),
  around("'unknown' upgraded to a real id", 'AC-30', { before: upgradeUnknown }),
  inRow('an execution id of its own for every frame without one', 'AC-31', (row) =>
    row['agent_execution_id'] === 'unknown' ? { ...row, agent_execution_id: `unknown ${text(row['id'])}` } : row,
  ),
]

const counters: readonly Mutant[] = [
  around('an empty execution_id skipped', 'AC-2', {
    wrap: (writer) => ({
      ...writer,
      record: (frame) =>
        writer.record(text((frame as FrameJson)['execution_id']) === '' ? { ...(frame as FrameJson), tool_call_id: '' } : frame),
    }),
  }),
  around('an anomaly counted on a skipped frame', 'AC-26', {
    wrap: (writer) => {
      let extra = 0
      return {
        record: (sent) => {
          const frame = sent as FrameJson
          const before = writer.counters().skipped_no_identity
          const recorded = writer.record(frame)
          if (writer.counters().skipped_no_identity > before && METRICS.some((column) => isNegative(column)(frame))) extra++
          return recorded
        },
        counters: () => ({ ...writer.counters(), anomalous_value: writer.counters().anomalous_value + extra }),
      }
    },
  }),
  around('unknown_execution counted on a failed frame', 'AC-26', {
    wrap: (writer) => ({
      ...writer,
      counters: () => ({
        ...writer.counters(),
        unknown_execution: writer.counters().unknown_execution + writer.counters().failed,
      }),
    }),
  }),
]

export const SUBAGENT_MUTANTS: readonly Mutant[] = [
  ...swapped,
  ...bare,
  ...writeOnceColumns,
  ...settlement,
  ...metrics,
  ...flagsAndTurns,
  ...reads,
  ...identity,
  ...counters,
]
