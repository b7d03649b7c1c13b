/** Contracts as somebody writes them without types, and parts of them. */
import { defineContract } from '../../src/index.ts'

export type Spec = Parameters<typeof defineContract>[0]
export type Columns = Readonly<Record<string, unknown>>

export const KEY = { type: 'text', rule: { kind: 'key' } }
export const VALUE = { type: 'text', nullable: true, rule: { kind: 'lastNonNull' } }

/** A contract as somebody writes it without types: the compiler's refusals are in types.test.ts. */
export const define = (spec: object): unknown =>
  defineContract({ table: 't', key: ['k'], columns: { k: KEY }, ...spec } as unknown as Spec)
export const withColumn = (column: object): object => ({ columns: { k: KEY, c: column } })
export const frozen = (guard: string, rule: object = { kind: 'lastNonNull' }): object => ({
  ...VALUE,
  rule: { kind: 'frozenBy', guard, rule },
})

export const foreign = (given: object): object => ({
  foreignKeys: [{ columns: ['k'], references: { table: 'p', columns: ['id'] }, onDelete: 'cascade', ...given }],
})
export const referring = (table: string, columns: readonly string[], more: object = {}): object =>
  foreign({ references: { table, columns }, ...more })
export const indexed = (name: string): object => ({ indexes: [{ name, columns: ['k'] }] })
export const textColumns = (count: number, column: object = VALUE): Columns =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, column]))
export const namesOf = (count: number): readonly string[] => Object.keys(textColumns(count))
