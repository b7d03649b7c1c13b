/** How a wrong implementation is planted in the real one. A replacement that finds nothing to replace is stale, which is an error. */
import type { SqlValue, Step } from '../../src/index.ts'
import type { FrameJson, Json } from '../arbitraries/frames.ts'
import { names, type Plant } from '../oracle/players.ts'

export interface Mutant {
  /** What is wrong, as the issue says it. */
  readonly name: string
  /** The criterion it breaks. */
  readonly breaks: string
  readonly plant: Plant
  /** Throws when the plant found nothing to change. */
  readonly assertPlanted: () => void
}

type SqlChange = readonly [from: string | RegExp, to: string]

const replace = (sql: string, changes: readonly SqlChange[]): string =>
  changes.reduce((text, [from, to]) => text.replaceAll(from, () => to), sql)

/** Text of a statement, replaced wherever it stands; only for frames that qualify, where that is asked. */
export const inSql = (
  name: string,
  breaks: string,
  changes: readonly SqlChange[],
  when?: (frame: FrameJson) => boolean,
): Mutant => {
  const found = new Set<SqlChange>()
  const change = (step: Step, frame: FrameJson | undefined): Step => {
    if (!('sql' in step)) return step
    for (const one of changes) if (replace(step.sql, [one]) !== step.sql) found.add(one)
    if (when !== undefined && (frame === undefined || !when(frame))) return step
    return { ...step, sql: replace(step.sql, changes) }
  }
  return { name, breaks, plant: { change }, assertPlanted: () => assertAll(name, changes.length, found.size) }
}

/** The values a row is written with, before they reach the database. */
export const inRow = (
  name: string,
  breaks: string,
  alter: (row: Readonly<Record<string, SqlValue>>) => Readonly<Record<string, SqlValue>>,
): Mutant => {
  let altered = false
  const change = (step: Step): Step => {
    if (!('params' in step) || step.params.length !== names.length) return step
    const before = Object.fromEntries(names.map((column, at) => [column, step.params[at] ?? null]))
    const after = alter(before)
    altered ||= names.some((column) => before[column] !== after[column])
    return { ...step, params: names.map((column) => after[column] ?? null) }
  }
  return { name, breaks, plant: { change }, assertPlanted: () => assertAll(name, 1, altered ? 1 : 0) }
}

/** Something around the writer; it is planted by being there. */
export const around = (name: string, breaks: string, plant: Plant): Mutant => ({
  name,
  breaks,
  plant,
  assertPlanted: () => undefined,
})

const assertAll = (name: string, wanted: number, found: number): void => {
  if (found < wanted)
    throw new Error(`the mutant "${name}" is stale: ${wanted - found} of its ${wanted} changes found nothing to change`)
}

/** One more assignment in the upsert. */
export const alsoSet = (column: string, value: string): SqlChange => [
  'DO UPDATE SET\n',
  `DO UPDATE SET\n  "${column}" = ${value},\n`,
]

/** What a frame reports in its payload. */
export const reported = (frame: FrameJson, name: string): Json | undefined => {
  const normalized = frame['normalized']
  const payload = isObject(normalized) ? normalized['subagent_task'] : undefined
  return isObject(payload) ? payload[name] : undefined
}

const isObject = (value: Json | undefined): value is FrameJson => typeof value === 'object' && value !== null
