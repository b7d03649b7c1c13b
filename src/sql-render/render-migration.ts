import type { Contract } from '../rules/index.ts'
import type { Migration } from './ast/migration.ts'
import {
  type KeyChange,
  lowerDuplicates,
  lowerKeyChange,
  lowerRebuild,
  lowerWiden,
  type Named,
  type Rebuild,
} from './lower/migration.ts'
import { lowerIndexes } from './lower/schema.ts'
import { DIALECTS, type DialectName, printStatement } from './print/index.ts'
import { printMigration } from './print/migration.ts'

/** A statement of a migration and what it does. */
export interface MigrationStep {
  readonly name: string
  readonly sql: string
}

const printNamed = (steps: readonly Named<Migration>[], dialect: DialectName): readonly MigrationStep[] =>
  steps.map(({ name, statement }) => ({ name, sql: printMigration(statement, DIALECTS[dialect]) }))

/** The contract's secondary indexes, or those named. SQL: `CREATE INDEX IF NOT EXISTS …`. */
export const renderIndexes = (contract: Contract, dialect: DialectName, only?: readonly string[]): readonly MigrationStep[] =>
  lowerIndexes(contract)
    .filter(({ name }) => only === undefined || only.includes(name))
    .map((index) => ({ name: `create index ${index.name}`, sql: printStatement(index, DIALECTS[dialect]).sql }))

/** Up to five keys that more than one row has; the last column is the number of rows. SQL: `SELECT … GROUP BY … HAVING COUNT(*) > 1`. */
export const renderDuplicates = (contract: Contract, dialect: DialectName, missing: readonly string[]): string =>
  printMigration(lowerDuplicates(contract, missing), DIALECTS[dialect])

/** SQLite's way to another key: the table made anew, within one transaction. See `lowerRebuild`. */
export const renderRebuild = (contract: Contract, rebuild: Rebuild) => {
  const { before, lost, after } = lowerRebuild(contract, rebuild)
  return {
    before: printNamed(before, 'sqlite'),
    lost: printMigration(lost, DIALECTS.sqlite),
    after: printNamed(after, 'sqlite'),
  }
}

/** PostgreSQL's way to another key: the table locked and altered in place, within one transaction. See `lowerKeyChange`. */
export const renderKeyChange = (contract: Contract, change: KeyChange): readonly MigrationStep[] =>
  printNamed(lowerKeyChange(contract, change), 'postgres')

/** SQL: `LOCK TABLE … IN ACCESS EXCLUSIVE MODE`, so that a later statement never has to wait for a stronger lock (PostgreSQL). */
export const renderLockTable = (contract: Contract): string =>
  printMigration({ kind: 'lockTable', table: contract.table }, DIALECTS.postgres)

/** SQL: `ALTER TABLE … ALTER COLUMN … TYPE BIGINT, …` (PostgreSQL). */
export const renderWiden = (contract: Contract, columns: readonly string[]): string =>
  printMigration(lowerWiden(contract, columns), DIALECTS.postgres)

/** SQL: `DROP INDEX schema.name`. */
export const renderDropIndex = (index: { readonly schema: string; readonly name: string }, dialect: DialectName): string =>
  printMigration({ kind: 'dropIndex', ...index }, DIALECTS[dialect])

/** SQL: a DO block that drops each unique constraint and index over these columns, whatever its name (PostgreSQL). */
export const renderDropUniques = (contract: Contract, columns: readonly string[]): string =>
  printMigration({ kind: 'dropUniques', table: contract.table, columns }, DIALECTS.postgres)

/** SQL: `ALTER TABLE … ADD COLUMN … TEXT`, nullable. */
export const renderAddColumn = (contract: Contract, column: string, dialect: DialectName): string =>
  printMigration(
    {
      kind: 'alterTable',
      table: contract.table,
      changes: [{ kind: 'addColumn', column: { name: column, type: 'text', nullable: true } }],
    },
    DIALECTS[dialect],
  )
