/** Every hostile name as table, key, guard, column and index at once, and every special text as a value: printed and executed. */
import { type Contract, defineContract } from '../../src/index.ts'
import { folded, HOSTILE_NAMES } from '../arbitraries/names.ts'
import { SPECIAL_TEXTS } from '../arbitraries/values.ts'
import type { Case } from './run-and-compare.ts'

const isTable = (name: string): boolean => !/^(?:excluded|stored|new|old)$/i.test(name)

/** Another hostile name for each further part, so that no two are the same for SQLite. */
const others = (name: string, count: number): readonly string[] => {
  const start = HOSTILE_NAMES.indexOf(name) + 1
  const rest = [...HOSTILE_NAMES.slice(start), ...HOSTILE_NAMES.slice(0, start)]
  return rest.filter((other) => folded(other) !== folded(name)).slice(0, count)
}

const hostileContract = (name: string): { readonly contract: Contract; readonly key: string; readonly guard: string } => {
  const [key = 'k', guard = 'g', ...more] = others(name, 12)
  const table = [name, ...more].find(isTable) ?? 't'
  const index = more.find((other) => isTable(other) && folded(other) !== folded(table) && folded(other) !== folded(name)) ?? 'i'
  const spec = {
    table,
    key: [key],
    columns: {
      [key]: { type: 'text', rule: { kind: 'key' } },
      [name]: { type: 'text', nullable: true, absent: [], rule: { kind: 'frozenBy', guard, rule: { kind: 'lastNonNull' } } },
      [guard]: { type: 'text', nullable: true, rule: { kind: 'firstNonNull' } },
    },
    readOrder: [name, key],
    indexes: [{ name: index, columns: [name, guard] }],
  }
  return { contract: defineContract(spec as Parameters<typeof defineContract>[0]), key, guard } // types cannot know these names
}

/** The name merges, freezes, is read by and is returned. */
export const hostileNameCases: readonly (Case & { readonly name: string })[] = HOSTILE_NAMES.map((name) => {
  const { contract, key, guard } = hostileContract(name)
  const row = (value: string | null, frozen: string | null, id = 'k') =>
    Object.fromEntries([
      [key, id],
      [name, value],
      [guard, frozen],
    ])
  const history = [row('first', null), row('second', null), row(null, 'now'), row('third', null), row('other', null, 'k2')]
  return { name: JSON.stringify(name), contract, history }
})

/** Each special text in key, in value and as a default and a sentinel where those may hold it. */
export const hostileValueCases: readonly (Case & { readonly name: string })[] = SPECIAL_TEXTS.map((text) => {
  const storable = text.toWellFormed().replaceAll('\0', '\uFFFD')
  const sentinel = storable === '' ? 'nothing' : storable
  const spec = {
    table: 't',
    key: ['k'],
    columns: {
      k: { type: 'text', rule: { kind: 'key', absentAs: sentinel } },
      v: { type: 'text', nullable: true, absent: [], rule: { kind: 'lastNonNull' } },
      d: { type: 'text', absent: [], default: storable, rule: { kind: 'writeOnce' } },
    },
  }
  const contract = defineContract(spec as Parameters<typeof defineContract>[0])
  const name = JSON.stringify(text.length > 20 ? `${text.slice(0, 20)}…` : text)
  return {
    name,
    contract,
    history: [{ v: text }, { k: 'k', v: 'v', d: text }, { v: null }, { k: text, v: text }, { k: 'k', v: text }],
  }
})
