import { KEY_NAMES, type KeyName, type StatusReport, status } from '../subagents/index.ts'
import { DB_OPTION, withDatabase } from './connect.ts'
import { documentJson, print } from './output.ts'
import type { Register } from './verb.ts'

interface StatusOptions {
  readonly db: string
  readonly json?: boolean
}

export const registerStatus: Register = (program, about) => {
  program
    .command('status')
    .description(about)
    .requiredOption(...DB_OPTION)
    .option('--json', 'print the report as one JSON document')
    .action(show)
}

const show = async ({ db, json }: StatusOptions): Promise<void> => {
  const report = await withDatabase(db, { to: 'read' }, async (session) => status(session))
  await print(json === true ? documentJson(report) : textOf(report))
}

const textOf = ({ state, meaning, keys, schema, rows, readings, advice }: StatusReport): string =>
  [
    `state: ${state}`,
    `  ${meaning}`,
    ...keyLines(keys, readings),
    ...schemaLines(schema),
    ...rowLines(rows, readings),
    ...advice.map((line) => `advice: ${line}`),
  ]
    .map((line) => `${line}\n`)
    .join('')

const keyLines = (keys: StatusReport['keys'], readings: StatusReport['readings']): readonly string[] =>
  keys === null
    ? ['keys: the host has no table kandev_meta']
    : (['captureSince', 'executionSince', 'backfillThrough'] as const).flatMap((name: KeyName) => [
        `${KEY_NAMES[name]}: ${keys[name] === null ? 'absent' : JSON.stringify(keys[name])}`,
        `  ${readings[name]}`,
      ])

const schemaLines = (schema: StatusReport['schema']): readonly string[] => {
  if (schema === null) return ['schema: there is no table task_session_subagents']
  const says = (holds: boolean): string => (holds ? 'holds' : 'does not hold')
  return [
    `AC-33 clause 1, agent_execution_id is there and NOT NULL: ${says(schema.executionColumn)}`,
    `AC-33 clause 2, UNIQUE(task_session_id, agent_execution_id, tool_call_id): ${says(schema.key)}`,
    `AC-33 clause 3, no UNIQUE(task_session_id, tool_call_id) is left: ${says(schema.noPredecessorKey)}`,
    `AC-33 clause 4, all indexes: ${schema.missingIndexes.length === 0 ? 'holds' : `missing ${schema.missingIndexes.join(', ')}`}`,
    ...(schema.narrowMetrics.length === 0 ? [] : [`fewer than 64 bits: ${schema.narrowMetrics.join(', ')}`]),
  ]
}

const rowLines = (rows: StatusReport['rows'], readings: StatusReport['readings']): readonly string[] =>
  rows === null
    ? []
    : [
        `rows: ${rows.total}${Object.entries(rows.bySource)
          .map(([source, count]) => `, ${source} ${count}`)
          .join('')}`,
        `  ${readings.bySource}`,
        `execution known: ${rows.known}`,
        `  ${readings.known}`,
        `execution unknown: ${rows.unknownBefore} before subagent_context_execution_since, ${rows.unknownSince} since`,
        `  ${readings.unknown}`,
      ]
