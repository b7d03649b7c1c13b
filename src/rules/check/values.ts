import { storableText } from '../../util/text.ts'
import type { Column } from '../columns.ts'
import type { RuleKind } from '../kinds/index.ts'
import { isAbsentText } from './keys.ts'
import { type Check, columnsOf, type Problem } from './problem.ts'

/** U+0000 and lone surrogates become U+FFFD in every text that arrives, so a declared text that holds one could never be met. */
export const checkTexts: Check = (contract) =>
  columnsOf(contract).flatMap(([name, column]) => {
    const declared: readonly (readonly [string, unknown])[] = [
      ['default', column.default],
      ['sentinel', column.rule.kind === 'key' ? column.rule.absentAs : undefined],
      ...column.absent.map((rule) => ['marker', typeof rule === 'object' ? rule.marker : undefined] as const),
    ]
    return declared
      .filter(([, text]) => typeof text === 'string' && text !== storableText(text))
      .map(([what, text]) => ({
        column: name,
        reason: `the ${what} ${JSON.stringify(text)} holds U+0000 or a lone surrogate, which no database can store`,
      }))
  })

const ABSENCES = { text: ['empty'], int64: ['zero', 'negative'], bool: [], instant: [] } satisfies Record<
  Column['type'],
  readonly string[]
>

export const checkAbsence: Check = (contract) =>
  columnsOf(contract).flatMap(([name, column]) =>
    column.absent.flatMap((rule): readonly Problem[] => {
      const allowed: readonly string[] = ABSENCES[column.type]
      if (typeof rule === 'string') {
        return allowed.includes(rule)
          ? []
          : [{ column: name, reason: `the absent-rule ${rule} does not fit the type ${column.type}` }]
      }
      return column.type === 'text'
        ? []
        : [{ column: name, reason: `a marker is a text and needs a text column, not ${column.type}` }]
    }),
  )

/** Rules under which a default can reach a new row only: elsewhere `excluded` would carry it over a stored value (hazard 2). */
const DEFAULT_IS_SAFE: ReadonlySet<RuleKind> = new Set<RuleKind>(['writeOnce', 'firstNonNull', 'boolOr'])

/** What `typeof` says of a default; int64 and instant have none. */
const DEFAULT_TYPES = { text: 'string', bool: 'boolean', int64: undefined, instant: undefined } satisfies Record<
  Column['type'],
  string | undefined
>

export const checkDefaults: Check = (contract) =>
  columnsOf(contract).flatMap(([name, column]): readonly Problem[] => {
    const reason = defaultProblem(column)
    return reason === undefined ? [] : [{ column: name, reason }]
  })

const defaultProblem = (column: Column): string | undefined => {
  const { default: initial, rule, type } = column
  if (initial === undefined) return undefined
  const sent: string = typeof initial
  if (sent !== DEFAULT_TYPES[type]) return `a default that is a ${sent} does not fit ${type}`
  if (column.nullable) return 'a nullable column cannot have a DEFAULT: absent is NULL (hazard 2)'
  if (!DEFAULT_IS_SAFE.has(rule.kind)) return `a DEFAULT would overwrite stored values under the rule ${rule.kind} (hazard 2)`
  if (rule.kind === 'boolOr' && initial === true) return 'a boolOr column with the default true could never be false'
  return typeof initial === 'string' && isAbsentText(column, initial)
    ? `the default ${JSON.stringify(initial)} would itself be absent`
    : undefined
}
