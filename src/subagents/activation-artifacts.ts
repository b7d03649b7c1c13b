import {
  CATALOG,
  type DialectName,
  type ExtraArtifact,
  FOREIGN_KEYS,
  LIMIT_WAIT,
  type Printed,
  renderAddColumn,
  renderBackfill,
  renderDropUniques,
  renderIndexes,
  renderKeyChange,
  renderLockTable,
  renderRebuild,
  renderSelect,
  renderUpsert,
  renderWiden,
  TAKE_LOCK,
} from '../sql-render/index.ts'
import { subagentContexts } from './contract.ts'
import { EXECUTION_COLUMN, METRICS, PREDECESSOR_KEY } from './end-state.ts'
import { hostMeta, KEY_NAMES } from './keys.ts'
import { subagentProjection } from './projection.ts'

const contract = subagentContexts

/** The upgrade of a predecessor as one script, and the activation's own statements, for people to review and to run by hand. */
export const activationArtifacts = (dialect: DialectName): readonly ExtraArtifact[] => [UPGRADE[dialect](), activation(dialect)]

const lines = (...statements: readonly string[]): string => statements.map((sql) => `${sql.replace(/;$/, '')};\n`).join('\n')

const upgradeSqlite = (): ExtraArtifact => {
  const columns = Object.keys(contract.columns).filter((name) => name !== EXECUTION_COLUMN)
  const { before, after } = renderRebuild(contract, {
    columns: [...columns, EXECUTION_COLUMN],
    extra: [],
    stage: 'mergelaw_upgrade',
  })
  const sql = [...before, ...renderIndexes(contract, 'sqlite'), ...after].map((step) => step.sql)
  return {
    name: 'upgrade',
    about: [
      "AC-33: gives a table in its two-column predecessor shape the contract's key, every row with its values. Run it as it stands, outside",
      'a transaction, on a connection of its own; when a statement fails: ROLLBACK, and the table is whole. Columns, indexes and triggers',
      'that a host has added are not in it: the activation keeps them, or refuses what it could not keep.',
    ],
    sql: lines(
      FOREIGN_KEYS.off,
      'BEGIN IMMEDIATE',
      renderAddColumn(contract, EXECUTION_COLUMN, 'sqlite'),
      ...sql,
      'COMMIT',
      FOREIGN_KEYS.on,
    ),
    parameters: [],
  }
}

const upgradePostgres = (): ExtraArtifact => {
  const steps = renderKeyChange(contract, {
    column: { name: EXECUTION_COLUMN, state: 'missing' },
    dropConstraints: [],
    dropIndexes: [],
    addUnique: true,
    triggers: [],
  })
  return {
    name: 'upgrade',
    about: [
      "AC-33: gives a table in its two-column predecessor shape the contract's key, every row with its values. The old constraint is found",
      'by its columns, since the server named it. Run it as it stands; when a statement fails the transaction is rolled back whole.',
    ],
    sql: lines(
      'BEGIN',
      TAKE_LOCK.postgres ?? '',
      LIMIT_WAIT.postgres ?? '',
      renderLockTable(contract),
      renderDropUniques(contract, PREDECESSOR_KEY),
      ...steps.map(({ sql }) => sql),
      renderWiden(contract, METRICS),
      ...renderIndexes(contract, 'postgres').map(({ sql }) => sql),
      'COMMIT',
    ),
    parameters: [],
  }
}

const UPGRADE: Readonly<Record<DialectName, () => ExtraArtifact>> = { sqlite: upgradeSqlite, postgres: upgradePostgres }

interface Numbered extends Printed {
  readonly says: string
}

/** The backfill's own statements; the guard is both keys (AC-24d). */
const backfill = (dialect: DialectName): readonly Numbered[] => {
  const { prepare, unstage, stage, newest, insert, reasons, scanned } = renderBackfill(
    subagentContexts,
    subagentProjection,
    dialect,
  )
  const guard = 'AC-24d: from here to COMMIT only where one of the two keys is absent and clauses 1 to 3 are observed.'
  return [
    ...(prepare === undefined
      ? []
      : [{ says: 'AC-23b: reads a message document, whatever text it is.', sql: prepare, parameters: [] }]),
    { says: guard, ...unstage },
    { says: 'AC-21: stage the candidates; the one scan of the messages.', ...stage },
    { says: 'AC-24d: the newest qualifying instant, over what is staged and before the insert.', ...newest },
    { says: 'AC-21, AC-22: insert.', ...insert },
    { says: 'For the report: why candidates yield no row.', ...reasons },
    { says: 'For the report: all messages.', ...scanned },
    { says: 'Drop the stage.', ...unstage },
  ]
}

/** The statements between which the process decides, and samples an instant. */
const activation = (dialect: DialectName): ExtraArtifact => {
  const key = renderUpsert(hostMeta, dialect)
  const plain = (says: string, sql: string): Numbered => ({ says, sql, parameters: [] })
  const begin = dialect === 'sqlite' ? 'BEGIN IMMEDIATE' : 'BEGIN'
  const lock = TAKE_LOCK[dialect]
  const transaction = (...body: readonly Numbered[]): readonly Numbered[] => [
    plain('Begin.', begin),
    ...(lock === undefined
      ? []
      : [plain('Take the activation lock; it is free again at COMMIT. Observe again under it: 1 and 2.', lock)]),
    ...body,
    plain('Commit.', 'COMMIT'),
  ]
  const insert = (name: string, says: string): Numbered => ({ says: `${says} Bind ${name}.`, ...key })
  const statements: readonly Numbered[] = [
    {
      says: "AC-33b: observe the live schema. Bind the tables' names as a JSON array.",
      sql: CATALOG[dialect],
      parameters: ['tables'],
    },
    {
      says: `Read a key, once for each of ${Object.values(KEY_NAMES).join(', ')}.`,
      ...renderSelect(hostMeta, dialect, { where: ['key'] }),
    },
    ...transaction(
      insert(
        KEY_NAMES.executionSince,
        'AC-33b: only where clauses 1 to 3 are observed and the key is absent. Sample the instant now.',
      ),
    ),
    ...transaction(
      ...backfill(dialect),
      insert(KEY_NAMES.captureSince, 'AC-24 point 4: sample the instant now, after the backfill, never before it.'),
      insert(KEY_NAMES.backfillThrough, "The backfill's newest instant with nine digits, or '' where there was none (AC-24f)."),
    ),
  ]
  return {
    name: 'activation',
    about: [
      'AC-24, AC-24d, AC-33b, AC-33c: the activation after schema.sql and upgrade.sql, as numbered statements, since the process decides',
      'between them and samples an instant between two of them. Each is executable as it stands. Keys are RFC 3339 with nine digits.',
    ],
    sql: statements.map(({ says, sql }, at) => `-- ${at + 1}. ${says}\n${sql.replace(/;$/, '')};\n`).join('\n'),
    parameters: statements.flatMap(({ parameters }, at) => parameters.map((name) => `${name} (statement ${at + 1})`)),
  }
}
