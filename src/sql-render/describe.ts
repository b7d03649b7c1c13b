import { type Column, type Contract, columnOf } from '../rules/index.ts'
import { sqlType } from './lower/columns.ts'
import { DIALECTS, type DialectName } from './print/index.ts'

const SAMPLE = '2026-08-03T15:32:20.123456Z'

/** What a person binds for a column by hand: the type, and what "not reported" becomes. The library's normaliser does the same. */
export const describeParameter = (contract: Contract, dialect: DialectName, name: string): string => {
  const column = columnOf(contract, name)
  return [`${name}: ${typeOf(column, dialect)}`, ...absenceOf(column)].join('; ')
}

const typeOf = (column: Column, dialect: DialectName): string => {
  switch (column.type) {
    case 'instant':
      return `an instant in UTC, exactly like '${DIALECTS[dialect].encodeInstant(SAMPLE, sqlType(column))}'`
    case 'bool':
      return '0 or 1'
    case 'text':
    case 'int64':
      return column.type
  }
}

const absenceOf = (column: Column): readonly string[] => {
  const sent = column.absent.map((rule) =>
    typeof rule === 'object' ? `'${rule.marker}'` : { empty: "''", zero: '0', negative: 'a negative value' }[rule],
  )
  const fallback = column.rule.kind === 'key' ? column.rule.absentAs : column.default
  if (fallback !== undefined) return [`${typeof fallback === 'boolean' ? Number(fallback) : `'${fallback}'`} when not reported`]
  if (!column.nullable) return ['never NULL']
  return [`NULL when not reported${sent.length === 0 ? '' : `, and for ${sent.join(' and ')}`}`]
}
