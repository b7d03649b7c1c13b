import type { Column } from '../columns.ts'
import { duplicatesIn } from './names.ts'
import { type Check, columnsOf, type Problem } from './problem.ts'

export const checkKey: Check = (contract) => {
  const { key, columns } = contract
  if (key.length === 0) return [{ reason: 'the contract has no key: name at least one column, or every row would be a new one' }]
  return [
    ...duplicatesIn(key).map((column) => ({ column, reason: 'named twice in key' })),
    ...key.flatMap((column) => {
      const rule = Object.hasOwn(columns, column) ? columns[column]?.rule.kind : undefined
      if (rule === undefined) return [{ column, reason: 'named in key, but there is no such column' }]
      return rule === 'key' ? [] : [{ column, reason: `named in key, but its rule is ${rule}: give it the rule key()` }]
    }),
    ...columnsOf(contract)
      .filter(([name, column]) => column.rule.kind === 'key' && !key.includes(name))
      .map(([column]) => ({ column, reason: 'has the rule key() but is not named in key' })),
    ...columnsOf(contract).flatMap(([name, column]) => keyColumnProblem(name, column)),
  ]
}

const keyColumnProblem = (name: string, column: Column): readonly Problem[] => {
  if (column.rule.kind !== 'key') return []
  if (column.nullable)
    return [
      { column: name, reason: 'a key column cannot be nullable: NULL never conflicts, and duplicates would pile up (hazard 9)' },
    ]
  if (column.type === 'instant')
    return [
      {
        column: name,
        reason: 'an instant cannot be a key: one instant has many spellings, and a unique index compares spellings',
      },
    ]
  const { absentAs } = column.rule
  if (absentAs === undefined) return []
  if (column.type !== 'text') return [{ column: name, reason: `absentAs is a text, but the column is ${column.type}` }]
  return absentAs === '' || isAbsentText(column, absentAs)
    ? [{ column: name, reason: `the sentinel ${JSON.stringify(absentAs)} would itself be absent` }]
    : []
}

/** True for a text that means "not reported" in this column. */
export const isAbsentText = ({ absent }: Column, text: string): boolean =>
  absent.some((rule) => (typeof rule === 'object' ? rule.marker === text : rule === 'empty' && text === ''))
