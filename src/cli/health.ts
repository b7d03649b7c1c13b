import { type HealthReport, health } from '../subagents/index.ts'
import { DB_OPTION, withDatabase } from './connect.ts'
import { documentJson, print } from './output.ts'
import type { Register } from './verb.ts'

interface HealthOptions {
  readonly db: string
  readonly json?: boolean
}

export const registerHealth: Register = (program, about) => {
  program
    .command('health')
    .description(`${about}; exit 0 healthy, 1 shortfall, 2 usage or connection, 3 not activated, 4 nothing since activation`)
    .requiredOption(...DB_OPTION)
    .option('--json', 'print the report as one JSON document')
    .action(check)
}

const EXIT: Readonly<Record<HealthReport['state'], number>> = {
  healthy: 0,
  shortfall: 1,
  not_activated: 3,
  nothing_since_activation: 4,
}

const check = async ({ db, json }: HealthOptions): Promise<void> => {
  const report = await withDatabase(db, { to: 'read' }, async (session) => health(session))
  await print(json === true ? documentJson(report) : textOf(report))
  process.exitCode = EXIT[report.state]
}

const SAYS: Readonly<Record<HealthReport['state'], string>> = {
  healthy: 'healthy: every subagent since activation has its row',
  shortfall: 'shortfall: subagents have a message and no row; the writer fails, or has stopped',
  not_activated: 'not activated: subagent_context_capture_since is absent, and nothing was compared',
  nothing_since_activation: 'nothing since activation: no shortfall, and the writer has produced no row since either',
}

const textOf = (report: HealthReport): string => {
  const lines = [SAYS[report.state]]
  if (report.state !== 'not_activated') {
    lines.push(row('since', report.captureSince))
    if (report.state === 'shortfall') lines.push(row('missing', report.missing))
    const newest = report.state === 'nothing_since_activation' ? null : report.newestObservation
    lines.push(row('newest row', newest ?? 'nothing since activation'))
    lines.push(row('excess', `${report.excess} (no alarm)`), row('collisions', `${report.collisions} (no alarm)`))
  }
  if (report.state === 'shortfall') {
    for (const key of report.missingKeys) lines.push(row('missing key', `${key.task_session_id} ${key.tool_call_id}`))
  }
  return `${lines.join('\n')}\n`
}

const row = (name: string, value: unknown): string => `${name.padEnd(NAME_WIDTH)}${String(value)}`
const NAME_WIDTH = 13
