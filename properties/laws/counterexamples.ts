/** What no rule claims, shown: for each law that a rule does not have, rows that break it. One JSON file a rule. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LAWS, type Law, type Tuple } from '../../src/index.ts'
import { fromJson } from '../oracle/json.ts'
import type { Rows } from './predicates.ts'

/** Rule name → law → rows that break it. */
export type Counterexamples = Readonly<Record<string, Readonly<Partial<Record<Law, Rows>>>>>

const FOLDER = join(import.meta.dirname, 'counterexamples')

const isTuple = (value: unknown): value is Tuple => Array.isArray(value)

/** Throws on a file that is missing, is no JSON, or holds anything else: a counterexample that is skipped proves nothing. */
export const loadCounterexamples = (file: string, folder: string = FOLDER): Counterexamples => {
  const path = join(folder, `${file}.json`)
  const parsed = fromJson(readFileSync(path, 'utf8'))
  if (typeof parsed !== 'object' || parsed === null) throw new Error(`${path} is no object`)
  return Object.fromEntries(Object.entries(parsed).map(([name, laws]) => [name, readLaws(path, name, laws)]))
}

const readLaws = (path: string, name: string, laws: object): Partial<Record<Law, Rows>> =>
  Object.fromEntries(
    Object.entries(laws).map(([law, rows]: [string, { s?: unknown; a?: unknown; b?: unknown }]) => {
      if (!(LAWS as readonly string[]).includes(law)) throw new Error(`${path}: ${name}: there is no law ${law}`)
      const { s, a, b } = rows
      if ((s !== null && !isTuple(s)) || !isTuple(a) || !isTuple(b))
        throw new Error(`${path}: ${name}: ${law}: s, a, b must be rows (s may be null)`)
      return [law, { s: s ?? undefined, a, b }]
    }),
  )
