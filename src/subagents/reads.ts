import { readText } from '../adapters/decode.ts'
import { type Program, query } from '../adapters/program.ts'
import { type Ran, run, type Session } from '../adapters/session.ts'
import type { ListOptions } from '../engine/index.ts'
import { type Tuple, toRow } from '../rules/index.ts'
import { compareCodePoints } from '../util/code-points.ts'
import { storableText } from '../util/text.ts'
import { type SubagentContext, subagentContexts } from './contract.ts'
import { contextTable } from './table.ts'

/** AC-13: total within a session, and `id` plays no part. */
const ORDER = ['observed_at', 'tool_call_id', 'agent_execution_id'] as const

/** The subagents of one session, in AC-13's order. SQL: `SELECT … WHERE task_session_id = … ORDER BY …`. */
export const listBySession = <S extends Session>(session: S, taskSessionId: string): Ran<S, readonly SubagentContext[]> =>
  list(session, { where: { task_session_id: storableText(taskSessionId) }, orderBy: ORDER })

/** The subagents that one turn spawned, in AC-13's order; by session where two share all of it. SQL: `SELECT … WHERE turn_id = … ORDER BY …`. */
export const listByTurn = <S extends Session>(session: S, turnId: string): Ran<S, readonly SubagentContext[]> =>
  list(session, { where: { turn_id: storableText(turnId) }, orderBy: [...ORDER, 'task_session_id'] })

/** Every subagent: by session, then in AC-13's order. SQL: `SELECT … ORDER BY task_session_id, …`. */
export const listAll = <S extends Session>(session: S): Ran<S, readonly SubagentContext[]> => list(session, {})

/**
 * The sessions that have subagents, in the order of `listAll`: read one after the other, they are all rows, and need the memory of one.
 * SQL: `SELECT DISTINCT task_session_id FROM task_session_subagents`.
 */
export const listSessions = <S extends Session>(session: S): Ran<S, readonly string[]> => run(session, sessions())

function* sessions(): Program<readonly string[]> {
  const sql = 'SELECT DISTINCT task_session_id FROM task_session_subagents'
  const ids = yield* query('list sessions', sql, [], (row) => readText(row, 0) ?? '')
  return [...ids].sort(compareCodePoints)
}

const list = <S extends Session>(session: S, options: ListOptions): Ran<S, readonly SubagentContext[]> =>
  run(session, read(session, options))

function* read(session: Session, options: ListOptions): Program<readonly SubagentContext[]> {
  const tuples = yield* contextTable(session.dialect).list(options)
  return tuples.map(contextOf)
}

const names = Object.keys(subagentContexts.columns)

/** A tuple of this contract as a row; the codec and the reducer guarantee its types. */
export const contextOf = (tuple: Tuple): SubagentContext => toRow(names, tuple) as SubagentContext
