/** Wrong backfills and wrong health checks, each a mistake somebody could make in good faith. The suite must catch every one. */
import type { SqlValue, Step } from '../../src/index.ts'
import type { HealthReport } from '../../src/subagents/index.ts'

export interface StepMutant {
  /** What is wrong, as the issue says it. */
  readonly name: string
  /** The criterion it breaks. */
  readonly breaks: string
  readonly change: (step: Step) => Step
  /** What is made of a report, for mistakes that are not in the SQL. */
  readonly report?: (report: HealthReport) => HealthReport
  /** Throws when nothing was changed. */
  readonly assertPlanted: () => void
}

type Change = (sql: string) => string

/** Text of the statement with this name, changed; one that does not change is stale, which is an error. */
const inStep = (name: string, breaks: string, step: string, ...changes: readonly Change[]): StepMutant => {
  const planted = new Set<Change>()
  const change = (sent: Step): Step => {
    if (!('sql' in sent) || !sent.name.startsWith(step)) return sent
    const sql = changes.reduce((text, one) => {
      const changed = one(text)
      if (changed !== text) planted.add(one)
      return changed
    }, sent.sql)
    return 'params' in sent ? { ...sent, sql, params: boundAgain(sql, sent.params) } : { ...sent, sql }
  }
  const assertPlanted = (): void => {
    if (planted.size < changes.length)
      throw new Error(`the mutant "${name}" is stale: ${changes.length - planted.size} changes found nothing`)
  }
  return { name, breaks, change, assertPlanted }
}

/** Every parameter of a health query is the same instant, however many there are after the change. */
const boundAgain = (sql: string, params: readonly SqlValue[]): readonly SqlValue[] => {
  const wanted = sql.match(/(?<=[( ])\?(?=[ ,)\n]|$)/g)?.length ?? 0
  return params.length === 0 ? params : Array.from({ length: wanted }, () => params[0] ?? null)
}

const replaced =
  (from: string | RegExp, to: string): Change =>
  (sql) =>
    sql.replaceAll(from, to)

/** The whole comparison of a column with the key, as another one. */
const compared =
  (as: (column: string) => string): Change =>
  (sql) =>
    sql.replaceAll(/\((\w+\."\w+") >= DATE\(\?, '-1 day'\) AND CASE[\s\S]*?END >= \?\)/g, (_, column: string) => as(column))

/** The two halves of an anti-join, joined in another way. */
const halves =
  (joined: (left: string, right: string) => string): Change =>
  (sql) =>
    sql.replace(
      /FROM \(\n([\s\S]*)\nEXCEPT\n([\s\S]*)\n\) AS/,
      (_, left: string, right: string) => `FROM (${joined(left, right)}) AS`,
    )

const rowMutants: readonly StepMutant[] = [
  inStep(
    'turn_id from the JSON',
    'AC-21',
    'backfill: stage',
    replaced(/CASE WHEN source\."text_turn_id".* AS "turn_id"/g, 'NULL AS "turn_id"'),
  ),
  inStep(
    'tool_status from agent_status',
    'AC-21',
    'backfill: stage',
    replaced('source."doc_tool_status"', 'source."doc_agent_status"'),
  ),
  inStep(
    'settled_at NULL for a terminal message without updated_at',
    'AC-23a',
    'backfill: stage',
    replaced(/COALESCE\(source\."instant_updated_at", source\."instant_created_at"\) ELSE/g, 'source."instant_updated_at" ELSE'),
  ),
  inStep(
    'settled_at whatever the status',
    'AC-23a',
    'backfill: stage',
    replaced(/CASE WHEN CASE .* THEN (COALESCE\(.*\)) ELSE NULL END AS "settled_at"/g, '$1 AS "settled_at"'),
  ),
  inStep(
    'a reported zero of tokens kept',
    'AC-7a',
    'backfill: stage',
    replaced('WHEN source."doc_total_tokens" = 0 THEN NULL', ''),
  ),
  inStep(
    'an empty text kept',
    'AC-23',
    'backfill: stage',
    replaced(/CASE WHEN source\."doc_model" = '' THEN NULL ELSE (source\."doc_model") END/g, '$1'),
  ),
  inStep(
    'a metric whatever its JSON type',
    'AC-23',
    'backfill: stage',
    replaced(/JSON_TYPE\(document, ('[^']*total_tokens"')\) = 'integer' AND/g, 'TRUE AND'),
  ),
  inStep(
    'a text whatever its JSON type',
    'AC-23',
    'backfill: stage',
    replaced(/JSON_TYPE\(document, ('[^']*model"')\) = 'text'/g, 'TRUE'),
  ),
  inStep(
    'is_async on any JSON value',
    'AC-23',
    'backfill: stage',
    replaced(
      /CASE JSON_TYPE\(document, ('[^']*is_async"')\) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END/g,
      'JSON_EXTRACT(document, $1) IS NOT NULL',
    ),
  ),
]

const messageMutants: readonly StepMutant[] = [
  inStep(
    'missing duplicate tiebreak',
    'AC-21b',
    'backfill: insert',
    replaced(', (staged."source_id" || CHAR(0)) COLLATE RTRIM DESC', ''),
  ),
  inStep('the oldest of two messages', 'AC-21b', 'backfill: insert', replaced('END DESC, (staged', 'END ASC, (staged')),
  inStep(
    'extraction without normalisation',
    'AC-23b',
    'backfill: stage',
    replaced(/CASE WHEN TYPEOF\(source\."metadata"\).* THEN JSONB\(/g, 'CASE WHEN TRUE THEN JSONB('),
  ),
  inStep(
    'JSON5 taken for JSON',
    'AC-23b',
    'backfill: stage',
    replaced(/JSON_VALID\(source\."metadata"\)/g, 'JSON_VALID(source."metadata", 2)'),
  ),
  inStep('the first of duplicate names', 'AC-21', 'backfill: stage', replaced('member.id DESC', 'member.id')),
  inStep(
    'U+0000 and lone surrogates as they are',
    'AC-23b',
    'backfill: stage',
    replaced(
      /WHEN source\."metadata" GLOB '\*\\u0000\*' OR source\."metadata" GLOB '\*\\u\[dD\]\[89abcdefABCDEF\]\*'/g,
      'WHEN FALSE',
    ),
  ),
  inStep(
    'escaped backslashes not set aside',
    'AC-23b',
    'backfill: stage',
    replaced('REPLACE(source."metadata", \'\\\\\', CHAR(1))', 'source."metadata"'),
  ),
  inStep(
    'a prefilter that knows no escapes',
    'AC-21',
    'backfill: stage',
    replaced(/ OR source\."metadata" GLOB '\*\\u00\[567\]\*'/g, ''),
  ),
  inStep(
    'an empty identity taken for one',
    'AC-21a',
    'backfill: stage',
    replaced(/CASE WHEN source\."text_task_id" = '' THEN NULL ELSE (source\."text_task_id") END/g, '$1'),
  ),
  inStep('an orphan taken', 'AC-21', 'backfill: stage', replaced("ELSE 'orphan'", 'ELSE NULL')),
  inStep(
    'an orphan in MAX',
    'AC-24',
    'backfill: newest',
    replaced('staged."skip_reason" IS NULL', "COALESCE(staged.\"skip_reason\", 'orphan') = 'orphan'"),
  ),
  inStep(
    "'' parsed as an instant",
    'AC-24f',
    'backfill: newest',
    replaced('MAX(staged."newest")', 'COALESCE(MAX(staged."newest"), \'1970-01-01 00:00:00.000000+00:00\')'),
  ),
  inStep(
    '30 February taken for 2 March',
    'AC-24',
    'backfill: stage',
    replaced(/AND STRFTIME\('%Y-%m-%d %H:%M:%S', ([^\n]*?)\) = [^\n]*\n/g, 'AND $1 IS NOT NULL\n'),
  ),
]

export const BACKFILL_MUTANTS: readonly StepMutant[] = [...rowMutants, ...messageMutants]

const MISSED = 'health: shortfall'

export const HEALTH_MUTANTS: readonly StepMutant[] = [
  inStep(
    'julianday',
    'AC-24e',
    'health',
    compared((column) => `JULIANDAY(${column}) >= JULIANDAY( ? )`),
  ),
  inStep(
    'string comparison of key and column',
    'AC-24e',
    'health',
    compared((column) => `${column} >= REPLACE(REPLACE( ? , ' ', 'T'), '+00:00', 'Z')`),
  ),
  inStep(
    'text against another spelling of the column',
    'AC-24e',
    'health',
    compared((column) => `${column} >= ? `),
  ),
  inStep('a raw bound without the day for offsets', 'AC-24e', 'health', replaced("'-1 day'", "'+0 days'")),
  inStep(
    'signed difference instead of two anti-joins',
    'AC-28',
    MISSED,
    halves(
      (left, right) =>
        `SELECT * FROM (SELECT DISTINCT * FROM (${left})) LIMIT MAX(0, (SELECT COUNT(*) FROM (SELECT DISTINCT * FROM (${left}))) - (SELECT COUNT(*) FROM (SELECT DISTINCT * FROM (${right}))))`,
    ),
  ),
  inStep(
    'count of rows instead of keys',
    'AC-28',
    MISSED,
    halves(
      (left, right) =>
        `SELECT * FROM (${left}) AS l WHERE NOT EXISTS (SELECT 1 FROM (${right}) AS r WHERE r.task_session_id = l.task_session_id AND r.tool_call_id = l.tool_call_id)`,
    ),
  ),
  inStep(
    'filter mirrored on the excess side',
    'AC-28',
    'health: excess',
    replaced(
      'WHERE source."doc_kind" = \'subagent_task\'',
      "WHERE source.\"doc_kind\" = 'subagent_task' AND EXISTS (SELECT 1 FROM task_session_messages AS m WHERE m.id = source.source_id AND COALESCE(m.task_id, '') <> '')",
    ),
  ),
  inStep('unscoped MAX(observed_at)', 'AC-29', 'health: newest', replaced(/\nWHERE [\s\S]*$/g, '\nWHERE ? IS NOT NULL')),
  inStep(
    'extraction without normalisation in health',
    'AC-28',
    'health',
    replaced(/CASE WHEN TYPEOF\(source\."metadata"\).* THEN JSONB\(/g, 'CASE WHEN TRUE THEN JSONB('),
  ),
  inStep(
    'collisions counted in all rows',
    'AC-28',
    'health: collisions',
    replaced(/\nWHERE [\s\S]*\nGROUP BY/g, '\nWHERE ? IS NOT NULL\nGROUP BY'),
  ),
  inStep(
    'an orphan expected',
    'AC-28',
    MISSED,
    replaced(/EXISTS \(SELECT 1 FROM "task_sessions" AS parent/g, 'TRUE OR EXISTS (SELECT 1 FROM "task_sessions" AS parent'),
  ),
  {
    name: 'NULL newest observation reported as healthy',
    breaks: 'AC-29',
    change: (step) => step,
    report: (report) =>
      report.state === 'nothing_since_activation'
        ? { ...report, state: 'healthy', newestObservation: '1970-01-01T00:00:00.000000Z' }
        : report,
    assertPlanted: () => undefined,
  },
]
