import type { Contract } from '../rules/index.ts'
import { lowerIndexes, lowerTable } from './lower/schema.ts'
import { lowerSelect, type SelectOptions } from './lower/select.ts'
import { lowerUpsert, type UpsertOptions } from './lower/upsert.ts'
import { DIALECTS, type DialectName, type Printed, printStatement } from './print/index.ts'

/**
 * The table, its constraints and its indexes as one script; running it again changes nothing.
 *
 * SQL: `CREATE TABLE IF NOT EXISTS …; CREATE INDEX IF NOT EXISTS …;`
 */
export const renderSchema = (contract: Contract, dialect: DialectName): string =>
  [lowerTable(contract), ...lowerIndexes(contract)]
    .map((statement) => `${printStatement(statement, DIALECTS[dialect]).sql};\n`)
    .join('\n')

/**
 * The upsert. Bind every column, in `parameters` order, NULL for absent.
 *
 * SQL: `INSERT INTO t AS stored (…) VALUES (…) ON CONFLICT (key) DO UPDATE SET …`; DO NOTHING where no column ever changes, and
 * then RETURNING yields no row on a conflict (hazard 25). With `arrays` (PostgreSQL; `unsupported` elsewhere) it reads
 * `SELECT * FROM UNNEST(…)`, one array for each column, and no key may stand in it twice.
 */
export const renderUpsert = (contract: Contract, dialect: DialectName, options: UpsertOptions = {}): Printed =>
  printStatement(lowerUpsert(contract, options), DIALECTS[dialect])

/** The rows in read order, text ordered by UTF-8 bytes and instants by moment. SQL: `SELECT … FROM t AS stored WHERE … ORDER BY …`. */
export const renderSelect = (contract: Contract, dialect: DialectName, options: SelectOptions = {}): Printed =>
  printStatement(lowerSelect(contract, options), DIALECTS[dialect])
