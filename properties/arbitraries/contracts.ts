/** Random contracts: every type, rule, absence, default and guard that `defineContract` lets through, under hostile names. */
import fc from 'fast-check'
import {
  type AbsentRule,
  type Column,
  type ColumnType,
  type Contract,
  defineContract,
  type Plain,
  type PlainKind,
} from '../../src/index.ts'
import { columnNames, folded, tableName } from './names.ts'
import { MARKER } from './values.ts'

/** The types each plain rule may stand on; a new kind must be added here. */
export const RULE_TYPES = {
  writeOnce: ['text', 'int64', 'bool', 'instant'],
  firstNonNull: ['text', 'int64', 'bool', 'instant'],
  lastNonNull: ['text', 'int64', 'bool', 'instant'],
  lastValue: ['text', 'int64', 'bool', 'instant'],
  touch: ['instant'],
  boolOr: ['bool'],
} satisfies Record<PlainKind, readonly ColumnType[]>

export const PLAIN_KINDS = Object.keys(RULE_TYPES) as readonly PlainKind[] // Object.keys forgets the literal names
const TYPES = ['text', 'int64', 'bool', 'instant'] as const satisfies readonly ColumnType[]

const rulesOn = (type: ColumnType): readonly PlainKind[] =>
  PLAIN_KINDS.flatMap((kind) => ((RULE_TYPES[kind] as readonly ColumnType[]).includes(type) ? [kind] : []))

const ABSENCES: Record<ColumnType, readonly (readonly AbsentRule[])[]> = {
  text: [['empty'], [], ['empty', { marker: MARKER }], [{ marker: MARKER }]],
  int64: [[], ['zero'], ['negative'], ['zero', 'negative']],
  bool: [[]],
  instant: [[]],
}

/** A column before names are given; `guard` is a number that is taken modulo the columns that may guard it. */
interface Draft {
  readonly column: Omit<Column, 'rule'>
  readonly rule: Plain | { readonly kind: 'key'; readonly absentAs?: string }
  readonly guard: number | undefined
}

const keyDraft = (): fc.Arbitrary<Draft> =>
  fc
    .record({
      type: fc.constantFrom('text', 'text', 'int64', 'bool' as const),
      absentAs: fc.option(fc.constantFrom('unknown', "it's", 'é'), { nil: undefined }),
      absent: fc.nat(),
    })
    .map(({ type, absentAs, absent }) => ({
      column: { type, nullable: false, absent: pick(ABSENCES[type], absent) },
      rule: { kind: 'key', ...(type === 'text' && absentAs !== undefined ? { absentAs } : {}) },
      guard: undefined,
    }))

const valueDraft = (): fc.Arbitrary<Draft> =>
  fc
    .record({
      type: fc.constantFrom(...TYPES),
      rule: fc.nat(),
      absent: fc.nat(),
      nullable: fc.boolean(),
      guard: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
      fallback: fc.option(fc.constantFrom("it's", 'live', '', 'é\\'), { nil: undefined, freq: 3 }),
      zoned: fc.boolean(),
    })
    .map(({ type, rule, absent, nullable, guard, fallback, zoned }) => {
      const kind = pick(rulesOn(type), rule)
      const absences = pick(ABSENCES[type], absent)
      // A default that is absent itself is refused.
      const initial = fallback === '' && absences.includes('empty') ? 'live' : fallback
      return {
        column: {
          type,
          nullable,
          absent: absences,
          ...(nullable || guard !== undefined ? {} : defaultOf(type, kind, initial)),
          ...(type === 'instant' ? { postgres: zoned ? ('timestamptz' as const) : ('timestamp' as const) } : {}),
        },
        rule: { kind } as Plain, // every plain rule is its kind and nothing else
        guard,
      }
    })

/** A default may stand where it can never overwrite a stored value; a flag that is never NULL starts as false. */
const defaultOf = (type: ColumnType, kind: PlainKind, text: string | undefined): Pick<Column, 'default'> => {
  if (kind === 'boolOr') return { default: false }
  if (text === undefined || (kind !== 'writeOnce' && kind !== 'firstNonNull')) return {}
  return type === 'text' ? { default: text } : type === 'bool' ? { default: text === 'live' } : {}
}

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T // `from` is never empty

/** What a contract says beside its columns, as numbers that are taken modulo what there is. */
interface Extras {
  readonly indexed: readonly (readonly number[])[]
  /** Columns the rows are read by before the key, which makes the order total. */
  readonly readBy: readonly number[]
  readonly readOrder: boolean
  /** A column beside the key in the PRIMARY KEY; the key is then a UNIQUE constraint. */
  readonly primary: number | undefined
}

const extras = (): fc.Arbitrary<Extras> =>
  fc.record({
    indexed: fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 2 }), { maxLength: 2 }), // two indexes show whatever one hides
    readBy: fc.array(fc.nat(), { maxLength: 2 }), // the key follows, so longer ones would only hide it
    readOrder: fc.boolean(),
    primary: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
  })

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

/** Columns before a column in this order may guard it, so guards never form a cycle; the order in the table is another one. */
const assemble = (
  [table, ...indexNames]: readonly string[],
  names: readonly string[],
  drafts: readonly Draft[],
  order: readonly number[],
  { indexed, readBy, readOrder, primary }: Extras,
): Contract => {
  const columns = drafts.map(({ column, rule, guard }, at) => {
    const isFrozen = guard !== undefined && at > 0 && rule.kind !== 'key'
    return { ...column, rule: isFrozen ? { kind: 'frozenBy', guard: pick(names.slice(0, at), guard), rule } : rule }
  })
  const key = drafts.flatMap(({ rule }, at) => (rule.kind === 'key' ? [names[at] as string] : []))
  const required = names.flatMap((name, at) => (drafts[at]?.column.nullable === false ? [name] : []))
  const spec = {
    table,
    key,
    columns: Object.fromEntries(order.map((at) => [names[at], columns[at]])),
    ...(primary === undefined ? {} : { primaryKey: unique([...key, pick(required, primary)]) }),
    ...(readOrder ? { readOrder: unique([...readBy.map((at) => pick(names, at)), ...key]) } : {}),
    indexes: indexed.map((at, index) => ({ name: indexNames[index], columns: unique(at.map((one) => pick(names, one))) })),
  }
  return defineContract(spec as Parameters<typeof defineContract>[0]) // types cannot know random names
}

/** A table's name and its indexes': one name space, in both databases. */
const tableNames = (): fc.Arbitrary<readonly string[]> =>
  fc.uniqueArray(tableName(), { minLength: 3, maxLength: 3, selector: folded }) // the table and its two indexes

/**
 * A contract of 1 to 8 columns (1 to 3 of them the key): eight hold every rule next to its guard, and shrink to a story one can read.
 */
export const contract = (): fc.Arbitrary<Contract> =>
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 5 })).chain(([keys, others]) => {
    const count = keys + others
    const drafts = fc.tuple(
      fc.array(keyDraft(), { minLength: keys, maxLength: keys }),
      fc.array(valueDraft(), { minLength: others, maxLength: others }),
    )
    const positions = Array.from({ length: count }, (_, at) => at)
    return fc
      .tuple(
        tableNames(),
        columnNames(count),
        drafts,
        fc.shuffledSubarray(positions, { minLength: count, maxLength: count }),
        extras(),
      )
      .map(([table, names, [keyDrafts, valueDrafts], order, rest]) =>
        assemble(table, names, [...keyDrafts, ...valueDrafts], order, rest),
      )
  })
