/** Every rule on every type, and every rule frozen by every kind of guard, each as the smallest contract that has it. */
import {
  type ColumnSpec,
  type ColumnType,
  type Contract,
  defineContract,
  type PlainKind,
  RULE_KINDS,
  type RuleKind,
  type Tuple,
  type Value,
} from '../../src/index.ts'
import { PLAIN_KINDS, RULE_TYPES } from '../arbitraries/contracts.ts'

/** Two values and none: enough to tell first from last, set from unset, newer from older, true from false. */
const SMALL_DOMAIN: Record<ColumnType, readonly Value[]> = {
  text: [null, 'a', 'b'],
  int64: [null, 0n, 7n],
  bool: [null, false, true],
  instant: [null, '2026-08-03T15:32:20.123456Z', '2026-08-03T15:32:20.123457Z'],
}

/** One rule under test: the column `c` of a small contract. */
export interface RuleSpec {
  readonly name: string
  /** The file of `counterexamples/` that holds what this rule does not claim. */
  readonly file: string
  readonly contract: Contract
}

const column = (type: ColumnType, rule: object): ColumnSpec => ({ type, nullable: true, rule }) as ColumnSpec // rule and type fit by RULE_TYPES
const contractOf = (columns: Record<string, ColumnSpec>): Contract =>
  defineContract({ table: 't', key: ['k'], columns: { k: { type: 'text', rule: { kind: 'key' } }, ...columns } } as Parameters<
    typeof defineContract
  >[0])

const plainSpecs: readonly RuleSpec[] = PLAIN_KINDS.flatMap((kind) =>
  RULE_TYPES[kind].map((type) => ({ name: `${kind} ${type}`, file: kind, contract: contractOf({ c: column(type, { kind }) }) })),
)

/** The guard column `g` of each kind, with the columns it needs itself. A key guard is the key. */
const GUARDS: Record<RuleKind, readonly (readonly [string, Record<string, ColumnSpec>])[]> = {
  key: [['key', {}]],
  writeOnce: [['writeOnce', { g: column('text', { kind: 'writeOnce' }) }]],
  firstNonNull: [['firstNonNull', { g: column('text', { kind: 'firstNonNull' }) }]],
  lastNonNull: [['lastNonNull', { g: column('text', { kind: 'lastNonNull' }) }]],
  lastValue: [['lastValue', { g: column('text', { kind: 'lastValue' }) }]],
  touch: [['touch', { g: column('instant', { kind: 'touch' }) }]],
  boolOr: [['boolOr', { g: column('bool', { kind: 'boolOr' }) }]],
  frozenBy: (['lastNonNull', 'lastValue'] as const).map((inner) => [
    `frozenBy-${inner}`,
    { h: column('bool', { kind: 'firstNonNull' }), g: column('bool', { kind: 'frozenBy', guard: 'h', rule: { kind: inner } }) },
  ]),
}

const frozenSpec = (guard: string, columns: Record<string, ColumnSpec>, inner: PlainKind): RuleSpec => {
  const type = RULE_TYPES[inner][0] as ColumnType // no list of types is empty
  const rule = { kind: 'frozenBy', guard: 'g' in columns ? 'g' : 'k', rule: { kind: inner } }
  const contract = contractOf({ ...columns, c: column(type, rule) })
  return { name: `${inner} frozen by ${guard}`, file: `frozenBy-${guard}`, contract }
}

const frozenSpecs: readonly RuleSpec[] = RULE_KINDS.flatMap((kind) =>
  GUARDS[kind].flatMap(([guard, columns]) => PLAIN_KINDS.map((inner) => frozenSpec(guard, columns, inner))),
)

export const RULE_SPECS: readonly RuleSpec[] = [...plainSpecs, ...frozenSpecs]

/** Every row of one key over the small domain. */
export const smallRows = (contract: Contract): readonly Tuple[] =>
  Object.values(contract.columns).reduce<readonly Tuple[]>(
    (rows, { type, rule }) => {
      const values = rule.kind === 'key' ? ['k'] : SMALL_DOMAIN[type]
      return rows.flatMap((row) => values.map((value) => [...row, value]))
    },
    [[]],
  )

export const at = (contract: Contract, name: string): number => Object.keys(contract.columns).indexOf(name)
