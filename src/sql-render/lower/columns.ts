import type { Column, Contract } from '../../rules/index.ts'
import type { Expression, SqlType, TypedColumn } from '../ast/index.ts'
import { bytes, moment } from '../ast/index.ts'

/** The type a statement gives to a column. */
export const sqlType = (column: Column): SqlType => (column.type === 'instant' ? (column.postgres ?? 'timestamp') : column.type)

/** The contract's columns, in its order. */
export const typedColumns = (contract: Contract): readonly TypedColumn[] =>
  Object.entries(contract.columns).map(([name, column]) => ({ name, type: sqlType(column) }))

/** An expression of a column's type in the form that orders: moments as moments, text by its bytes. */
export const ordered = (operand: Expression, type: SqlType): Expression => {
  switch (type) {
    case 'timestamp':
    case 'timestamptz':
      return moment(operand, type)
    case 'text':
      return bytes(operand)
    case 'int64':
    case 'bool':
      return operand
  }
}
