import type { Change, CopiedColumn, ForeignColumn, Migration } from '../ast/migration.ts'
import type { DialectHooks } from './dialect.ts'
import { printLiteral } from './expression.ts'
import { quoteName } from './quote.ts'
import { printCreateTable } from './statement.ts'

const names = (list: readonly string[]): string => list.map(quoteName).join(', ')
const staged = (stage: string): string => `temp.${quoteName(stage)}`

/** Prints one statement that changes a table, without the final semicolon. */
export const printMigration = (node: Migration, dialect: DialectHooks): string => {
  switch (node.kind) {
    case 'alterTable':
      return `ALTER TABLE ${quoteName(node.table)}\n${node.changes.map((change) => `  ${printChange(change, dialect)}`).join(',\n')}`
    case 'lockTable':
      return `LOCK TABLE ${quoteName(node.table)} IN ACCESS EXCLUSIVE MODE`
    case 'dropUniques':
      return printDropUniques(node, dialect)
    case 'fillColumn':
      return `UPDATE ${quoteName(node.table)} SET ${quoteName(node.column)} = ${printLiteral(node.value, dialect)} WHERE ${isAbsent(node.column)}`
    case 'dropIndex':
      return `DROP INDEX ${quoteName(node.schema)}.${quoteName(node.name)}`
    case 'recreateTable':
      return printCreateTable(node.create, dialect, node.extra.map(printForeignColumn))
    case 'createStage':
      return `CREATE TEMP TABLE ${quoteName(node.stage)} (${names(node.columns)})`
    case 'fillStage':
      return `INSERT INTO ${staged(node.stage)} (${names(node.columns)})\nSELECT ${names(node.columns)} FROM main.${quoteName(node.from)} ORDER BY rowid`
    case 'dropStage':
      return `DROP TABLE IF EXISTS ${staged(node.stage)}`
    case 'dropTable':
      return `DROP TABLE main.${quoteName(node.table)}`
    case 'copyStage':
      return [
        `INSERT INTO main.${quoteName(node.to)} (${names(node.columns.map(({ name }) => name))})`,
        `SELECT ${node.columns.map((column) => printCopied(column, dialect)).join(', ')} FROM ${staged(node.stage)} ORDER BY rowid`,
      ].join('\n')
    case 'countLost':
      return [
        `SELECT COUNT(*) FROM (SELECT ${names(node.columns)} FROM ${staged(node.stage)}`,
        `  EXCEPT SELECT ${names(node.columns)} FROM main.${quoteName(node.table)}) AS lost`,
      ].join('\n')
    case 'duplicates':
      return printDuplicates(node, dialect)
  }
}

/**
 * Divergence: PostgreSQL names a constraint itself and cuts the name at 63 bytes, so that it can only be found by its columns; SQLite
 * cannot drop one at all. Its index goes with it; what is left then are plain indexes.
 * https://www.postgresql.org/docs/current/catalog-pg-constraint.html
 */
const printDropUniques = ({ table, columns }: Extract<Migration, { kind: 'dropUniques' }>, dialect: DialectHooks): string => {
  const wanted = `ARRAY[${[...columns]
    .sort()
    .map((name) => printLiteral(name, dialect))
    .join(', ')}]`
  const relation = `${printLiteral(quoteName(table), dialect)}::regclass`
  const namesOf = (relation: string, numbers: string): string =>
    `(SELECT array_agg(a.attname::text ORDER BY a.attname::text COLLATE "C") FROM pg_attribute AS a WHERE a.attrelid = ${relation} AND a.attnum = ANY (${numbers}))`
  return [
    'DO $drop$',
    'DECLARE',
    '  found record;',
    'BEGIN',
    '  FOR found IN SELECT c.conname AS name FROM pg_constraint AS c',
    `    WHERE c.conrelid = ${relation} AND c.contype = 'u' AND ${namesOf('c.conrelid', 'c.conkey')} = ${wanted}`,
    '  LOOP',
    `    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', ${relation}, found.name);`,
    '  END LOOP;',
    '  FOR found IN SELECT i.indexrelid::regclass AS name FROM pg_index AS i',
    `    WHERE i.indrelid = ${relation} AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL`,
    `    AND i.indnkeyatts = ${columns.length} AND ${namesOf('i.indrelid', 'i.indkey[0:i.indnkeyatts - 1]')} = ${wanted}`,
    '  LOOP',
    "    EXECUTE format('DROP INDEX %s', found.name);",
    '  END LOOP;',
    'END',
    '$drop$',
  ].join('\n')
}

const isAbsent = (column: string): string => `${quoteName(column)} IS NULL OR ${quoteName(column)} = ''`

const printCopied = ({ name, absentAs }: CopiedColumn, dialect: DialectHooks): string =>
  absentAs === undefined ? quoteName(name) : `COALESCE(NULLIF(${quoteName(name)}, ''), ${printLiteral(absentAs, dialect)})`

const printDuplicates = (
  { table, columns, missing }: Extract<Migration, { kind: 'duplicates' }>,
  dialect: DialectHooks,
): string => {
  const values = columns.map((column) =>
    missing.includes(column.name)
      ? `CAST(${printLiteral(column.absentAs ?? null, dialect)} AS TEXT)`
      : printCopied(column, dialect),
  )
  const places = columns.map((_column, at) => at + 1).join(', ')
  return [
    `SELECT ${values.join(', ')}, CAST(COUNT(*) AS TEXT) FROM ${quoteName(table)}`,
    `GROUP BY ${places} HAVING COUNT(*) > 1 ORDER BY ${places} LIMIT 5`,
  ].join('\n')
}

/** Type and default are the database's own words; `initial` stands in parentheses, as an expression must. */
const printForeignColumn = ({ name, type, nullable, initial }: ForeignColumn): string =>
  [quoteName(name), type, ...(nullable ? [] : ['NOT NULL']), ...(initial === null ? [] : [`DEFAULT (${initial})`])]
    .filter((word) => word !== '')
    .join(' ')

const TRIGGER_MODE = { disable: 'DISABLE TRIGGER', enable: 'ENABLE TRIGGER', always: 'ENABLE ALWAYS TRIGGER' } as const

const printChange = (change: Change, dialect: DialectHooks): string => {
  switch (change.kind) {
    case 'addColumn': {
      const { name, type, nullable, default: initial } = change.column
      const rest = [
        ...(nullable ? [] : ['NOT NULL']),
        ...(initial === undefined ? [] : [`DEFAULT ${printLiteral(initial, dialect)}`]),
      ]
      return ['ADD COLUMN', quoteName(name), dialect.typeName[type], ...rest].join(' ')
    }
    case 'dropDefault':
      return `ALTER COLUMN ${quoteName(change.column)} DROP DEFAULT`
    case 'setNotNull':
      return `ALTER COLUMN ${quoteName(change.column)} SET NOT NULL`
    case 'setType':
      return `ALTER COLUMN ${quoteName(change.column)} TYPE ${dialect.typeName[change.type]}`
    case 'addUnique':
      return `ADD UNIQUE (${names(change.columns)})`
    case 'dropConstraint':
      return `DROP CONSTRAINT ${quoteName(change.name)}`
    case 'trigger':
      return `${TRIGGER_MODE[change.mode]} ${quoteName(change.name)}`
  }
}
