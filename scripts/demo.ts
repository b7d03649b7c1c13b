/** `npm run demo`: records the sample into a fresh SQLite file with the built command, and shows what the database then holds. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { isRight } from 'fp-ts/lib/Either.js'
import { sqliteSession } from '../src/adapters/better-sqlite3.ts'
import { decodeFrame, type Frame, listAll, parseFrameText, type SubagentContext } from '../src/subagents/index.ts'

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The shared sample where it lies beside the checkout, else the copy of it. */
const sample = (file: string): string =>
  [fromRoot(`../shared/data/${file}`), fromRoot(`examples/${file}`)].find((path) => existsSync(path)) ??
  fromRoot(`examples/${file}`)

const isPlain = !process.stdout.isTTY || (process.env['NO_COLOR'] ?? '') !== ''
const heading = (text: string): void => console.log(`\n${isPlain ? text : `\x1b[1m${text}\x1b[22m`}`)

/** Columns side by side: the first to the left, the others to the right. */
const printTable = (rows: readonly (readonly string[])[]): void => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  for (const row of rows) {
    console.log(
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
  }
}

const mergelaw = (...args: readonly string[]): void => {
  console.log(`$ mergelaw ${args.join(' ')}`)
  process.stdout.write(
    execFileSync(process.execPath, [fromRoot('dist/cli/main.js'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
}

const POPULATION = `
  SELECT COALESCE(agent_status, '(absent)') AS status, COUNT(*) AS n, COUNT(agent_id) AS agent_id,
    COUNT(child_session_id) AS child_session_id, COUNT(model) AS model, COUNT(total_tokens) AS total_tokens,
    COUNT(tool_use_count) AS tool_use_count, COUNT(duration_ms) AS duration_ms
  FROM task_session_subagents GROUP BY agent_status ORDER BY n DESC, status`

const FAN_OUT = `
  SELECT fan_out AS "fan-out", COUNT(*) AS turns
  FROM (SELECT turn_id, COUNT(*) AS fan_out FROM task_session_subagents GROUP BY turn_id) AS turns
  GROUP BY fan_out ORDER BY fan_out`

const printQuery = (database: Database.Database, sql: string): void => {
  const statement = database.prepare<[], (string | number)[]>(sql).raw()
  printTable([statement.columns().map(({ name }) => name), ...statement.all().map((row) => row.map(String))])
}

/** The frames of one row, in the order they came. */
const framesOf = (row: SubagentContext, path: string): readonly Frame[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const parsed = parseFrameText(line)
      const frame = isRight(parsed) ? decodeFrame(parsed.right) : parsed
      const isOfRow =
        isRight(frame) && frame.right.tool_call_id === row.tool_call_id && frame.right.execution_id === row.agent_execution_id
      return isOfRow ? [frame.right] : []
    })

type Shown = string | bigint | boolean | null

/** What a frame reports for a column, by the row's own names. */
const REPORTS: Readonly<Record<string, (frame: Frame) => Shown>> = {
  turn_id: (frame) => frame.turn_id,
  subagent_type: (frame) => frame.subagent.subagent_type,
  description: (frame) => frame.subagent.description,
  agent_id: (frame) => frame.subagent.agent_id,
  model: (frame) => frame.subagent.model,
  agent_status: (frame) => frame.subagent.status,
  tool_status: (frame) => frame.status,
  is_async: (frame) => frame.subagent.is_async,
  total_tokens: (frame) => frame.subagent.total_tokens,
  tool_use_count: (frame) => frame.subagent.tool_use_count,
  duration_ms: (frame) => frame.subagent.duration_ms,
  observed_at: (frame) => frame.observed_at,
  settled_at: () => null,
  updated_at: () => null,
}

/** Ids and instants are cut to what tells them apart here. */
const cell = (name: string, value: Shown): string => {
  if (value === null) return '-'
  const text = String(value)
  return name.endsWith('_at') ? text.slice(11) : name.endsWith('_id') ? text.slice(0, 8) : text
}

const printFramesNextToRow = (row: SubagentContext, frames: readonly Frame[]): void =>
  printTable([
    ['', ...frames.map((_, at) => `frame ${at + 1}`), 'row'],
    ...Object.entries(REPORTS).map(([name, report]) => [
      name,
      ...frames.map((frame) => cell(name, report(frame))),
      cell(name, row[name as keyof SubagentContext]),
    ]),
  ])

const folder = mkdtempSync(join(tmpdir(), 'mergelaw-demo-'))
try {
  const path = join(folder, 'demo.db')
  mergelaw('init', '--db', `sqlite:${path}`)
  mergelaw('record', '--db', `sqlite:${path}`, '--sessions', sample('sessions.ndjson'), sample('frames.ndjson'))
  const database = new Database(path)
  heading('Population by terminal status: how many rows, and how many of them hold a value')
  printQuery(database, POPULATION)
  heading('Fan-out per turn: how many turns spawned that many subagents')
  printQuery(database, FAN_OUT)
  const row = listAll(sqliteSession(database)).find(({ total_tokens }) => total_tokens !== null)
  if (row !== undefined) {
    heading(`One subagent, ${row.tool_call_id}: its frames as they came, and its row ("-" is not reported)`)
    printFramesNextToRow(row, framesOf(row, sample('frames.ndjson')))
  }
  database.close()
} finally {
  rmSync(folder, { recursive: true })
}
