/**
 * Minimised counterexamples, replayed before anything random: as the first examples of the properties that found them. A file is what `report` printed, named after what it guards:
 * `{"contract", "history"}` for the engine, `{"backfilled", "frames"}` for the first contract.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Contract, defineContract } from '../../src/index.ts'
import type { FrameHistory } from '../arbitraries/frames.ts'
import type { Row } from '../arbitraries/rows.ts'
import { fromJson } from '../oracle/json.ts'
import type { Case } from '../oracle/run-and-compare.ts'

const REGRESSIONS = import.meta.dirname

export type Regression =
  | { readonly name: string; readonly kind: 'engine'; readonly given: Case }
  | { readonly name: string; readonly kind: 'frames'; readonly given: FrameHistory }

/** Throws on a folder without files, and on a file that is no JSON or no case: what is skipped guards nothing. */
export const loadRegressions = (folder: string = REGRESSIONS): readonly Regression[] => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  if (files.length === 0) throw new Error(`${folder} holds no regression`)
  return files.map((file) => read(join(folder, file), file.replace(/\.json$/, '')))
}

/** What `assertHolds` plays first. */
export const engineRegressions = (): readonly Case[] =>
  loadRegressions().flatMap((one) => (one.kind === 'engine' ? [one.given] : []))
export const frameRegressions = (): readonly FrameHistory[] =>
  loadRegressions().flatMap((one) => (one.kind === 'frames' ? [one.given] : []))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null
const isList = (value: unknown): value is readonly Row[] => Array.isArray(value) && value.every(isObject)

const read = (path: string, name: string): Regression => {
  const given = parse(path)
  if (!isObject(given)) throw new Error(`${path} is no object`)
  if (isObject(given['contract']) && isList(given['history'])) {
    return { name, kind: 'engine', given: { contract: redefined(given['contract']), history: given['history'] } }
  }
  if (isList(given['backfilled']) && isList(given['frames']))
    return { name, kind: 'frames', given: given as unknown as FrameHistory } // as printed
  throw new Error(`${path} is neither {"contract", "history"} nor {"backfilled", "frames"}`)
}

const parse = (path: string): unknown => {
  try {
    return fromJson(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path} is no JSON: ${String(error)}`, { cause: error })
  }
}

/** Through `defineContract`, so that a contract that is refused by now is an error and not a case that passes. */
const redefined = (contract: object): Contract => defineContract(contract as Parameters<typeof defineContract>[0]) // data has no types
