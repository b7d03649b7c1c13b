import { type DialectName, type ExtraArtifact, type Printed, renderBackfill, renderHealth } from '../sql-render/index.ts'
import { subagentContexts } from './contract.ts'
import { healthOptions } from './health.ts'
import { subagentProjection } from './projection.ts'

const READER = 'document-reader'

const statements = (...printed: readonly Printed[]): string => printed.map(({ sql }) => `${sql};\n`).join('\n')

/** The backfill as one script, and the health queries one by one, for people to review and to run by hand. */
export const backfillArtifacts = (dialect: DialectName): readonly ExtraArtifact[] => {
  const { prepare, unstage, stage, newest, insert, reasons, scanned } = renderBackfill(
    subagentContexts,
    subagentProjection,
    dialect,
  )
  return [
    ...(prepare === undefined ? [] : [readerOf(prepare)]),
    {
      name: 'backfill',
      about: [
        'AC-21 to AC-23b, AC-24d: one row for every historical message about a subagent. Run it in one transaction; running it again',
        'changes nothing. It writes no activation key: that is the activation, whose backfill_through is the first answer below.',
        ...needsReader(prepare),
        'Answers, in order: the newest qualifying instant and the number of keys; why candidates yield no row, NULL for those that do;',
        'the number of messages.',
      ],
      sql: statements(unstage, stage, newest, insert, reasons, scanned, unstage),
      parameters: [],
    },
    ...healthArtifacts(dialect),
  ]
}

const readerOf = (sql: string): ExtraArtifact => ({
  name: READER,
  about: [
    'AC-23b: reads a message document, whatever text it is; no cast of PostgreSQL does. Run it once on each connection that runs the',
    'backfill, the shortfall or the excess; it lives in pg_temp and is gone when the connection ends.',
  ],
  sql,
  parameters: [],
})

const needsReader = (prepare: string | undefined): readonly string[] =>
  prepare === undefined ? [] : [`Before it, on the same connection: ${READER}.sql`]

const healthArtifacts = (dialect: DialectName): readonly ExtraArtifact[] => {
  const { prepare, shortfall, excess, newest, collisions } = renderHealth(
    subagentContexts,
    subagentProjection,
    dialect,
    healthOptions,
  )
  const artifact = (name: string, about: readonly string[], { sql, parameters }: Printed): ExtraArtifact => ({
    name: `health-${name}`,
    about: [
      ...about,
      `Bind as since the instant of subagent_context_capture_since in UTC, as ${SINCE[dialect]}, digits past the sixth rounded up.`,
    ],
    sql: `${sql};\n`,
    parameters,
  })
  return [
    artifact(
      'shortfall',
      [
        'AC-28: subagents whose message is there and whose row is not. Any row is the alarm; confirm it (AC-28b).',
        ...needsReader(prepare),
      ],
      shortfall,
    ),
    artifact(
      'excess',
      ['AC-28: subagents with a row and no message that accounts for it. Reported, never an alarm.', ...needsReader(prepare)],
      excess,
    ),
    artifact(
      'newest',
      ['AC-29: the newest row since activation. NULL means that the writer has produced nothing since; that is not healthy.'],
      newest,
    ),
    artifact(
      'collisions',
      ['AC-28, AC-32: rows beyond one for each subagent, where a tool call id was used again. Never an alarm.'],
      collisions,
    ),
  ]
}

const SINCE: Readonly<Record<DialectName, string>> = {
  sqlite: "text like '2026-08-03 15:32:20.123456+00:00'",
  postgres: "a timestamp like '2026-08-03 15:32:20.123456'",
}
