/** AC-28's two anti-joins as the spec has them, byte for byte but for line breaks; `:since` is the only thing a test fills in. */
const MSG = (columns: string): string => `WITH msg AS (
SELECT ${columns},
(CASE WHEN m.metadata IS NULL OR m.metadata = '' OR m.metadata = 'null'
THEN '{}' ELSE m.metadata END) AS meta
FROM task_session_messages m
)`

export const SPEC_SHORTFALL = `${MSG('m.task_session_id, m.task_id, m.created_at')}
-- SHORTFALL — expected keys with no subagent row. THIS is the alarm.
SELECT COUNT(*) FROM (
SELECT msg.task_session_id, json_extract(msg.meta,'$.tool_call_id') AS tool_call_id
FROM msg
WHERE json_extract(msg.meta,'$.normalized.kind') = 'subagent_task'
AND msg.created_at >= :since
AND COALESCE(msg.task_session_id,'') <> ''
AND COALESCE(msg.task_id,'') <> ''
AND COALESCE(json_extract(msg.meta,'$.tool_call_id'),'') <> ''
GROUP BY 1, 2
EXCEPT
SELECT s.task_session_id, s.tool_call_id
FROM task_session_subagents s
WHERE s.observed_at >= :since
) AS shortfall;`

export const SPEC_EXCESS = `${MSG('m.task_session_id, m.created_at')}
SELECT COUNT(*) FROM (
SELECT s.task_session_id, s.tool_call_id
FROM task_session_subagents s
WHERE s.observed_at >= :since
GROUP BY 1, 2
EXCEPT
SELECT msg.task_session_id, json_extract(msg.meta,'$.tool_call_id')
FROM msg
WHERE json_extract(msg.meta,'$.normalized.kind') = 'subagent_task'
AND msg.created_at >= :since
) AS excess;`

/** The PostgreSQL form: only the extraction is substituted, as AC-28 says. */
export const onPostgres = (sql: string): string =>
  sql
    .replaceAll("json_extract(msg.meta,'$.tool_call_id')", "(msg.meta::jsonb #>> '{tool_call_id}')")
    .replaceAll("json_extract(msg.meta,'$.normalized.kind')", "(msg.meta::jsonb #>> '{normalized,kind}')")
