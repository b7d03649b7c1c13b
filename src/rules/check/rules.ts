import type { Column } from '../columns.ts'
import type { Contract } from '../contract.ts'
import type { RuleKind } from '../kinds/index.ts'
import { type Check, columnsOf, type Problem } from './problem.ts'

/** Which types a rule can merge; every other pair is refused. */
const RULE_TYPES = {
  key: ['text', 'int64', 'bool', 'instant'],
  writeOnce: ['text', 'int64', 'bool', 'instant'],
  firstNonNull: ['text', 'int64', 'bool', 'instant'],
  lastNonNull: ['text', 'int64', 'bool', 'instant'],
  lastValue: ['text', 'int64', 'bool', 'instant'],
  touch: ['instant'],
  boolOr: ['bool'],
  frozenBy: ['text', 'int64', 'bool', 'instant'],
} satisfies Record<RuleKind, readonly Column['type'][]>

export const checkRules: Check = (contract) =>
  columnsOf(contract).flatMap(([name, { type, rule }]) => {
    const rules = rule.kind === 'frozenBy' ? [rule, rule.rule] : [rule]
    return rules.flatMap(({ kind }): readonly Problem[] => {
      const types: readonly Column['type'][] = RULE_TYPES[kind]
      return types.includes(type)
        ? []
        : [{ column: name, reason: `the rule ${kind} is for ${types.join(', ')}, not for ${type}` }]
    })
  })

export const checkGuards: Check = (contract) =>
  columnsOf(contract).flatMap(([name, { rule }]): readonly Problem[] => {
    if (rule.kind !== 'frozenBy') return []
    const inner: string = rule.rule.kind // a contract written without types may hold any rule
    if (inner === 'frozenBy' || inner === 'key') return [{ column: name, reason: `frozenBy cannot hold the rule ${inner}` }]
    if (rule.guard === name) return [{ column: name, reason: 'guards itself' }]
    if (!Object.hasOwn(contract.columns, rule.guard))
      return [{ column: name, reason: `its guard ${JSON.stringify(rule.guard)} is no column of this table` }]
    const cycle = guardCycle(contract, name)
    return cycle === undefined ? [] : [{ column: name, reason: `guards form a cycle: ${cycle.join(' → ')}` }]
  })

const guardCycle = (contract: Contract, start: string): readonly string[] | undefined => {
  const path = [start]
  for (;;) {
    const rule = contract.columns[path.at(-1) ?? start]?.rule
    if (rule?.kind !== 'frozenBy') return undefined
    path.push(rule.guard)
    if (rule.guard === start) return path
    if (path.indexOf(rule.guard) !== path.length - 1) return undefined // a cycle further on: reported for its own members
  }
}
