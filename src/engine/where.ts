import { isLeft } from 'fp-ts/lib/Either.js'
import { MergelawError } from '../errors/index.ts'
import { type Contract, compileLookup, type Value } from '../rules/index.ts'
import { show } from '../util/show.ts'
import { refusal } from './refusal.ts'

/** Values to look for, by column, as the table holds them. */
export type Where = (sent: Readonly<Record<string, unknown>>) => readonly (readonly [name: string, value: Value])[]

/**
 * Compiles what `list` asks for: what could never be found because it was sent in another form than it is stored in is brought into
 * that form, and what names no column or has another type is refused.
 */
export const compileWhere = (contract: Contract): Where => {
  const lookups = new Map(Object.keys(contract.columns).map((name) => [name, compileLookup(contract, name)]))
  return (sent) => {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
      throw usage(contract, `${show(sent)} names no columns; send an object with the values to look for`, {})
    return Object.entries(sent).flatMap(([name, value]) => {
      const lookup = lookups.get(name)
      if (lookup === undefined) throw usage(contract, `there is no column ${JSON.stringify(name)} to look in`, { column: name })
      if (value === undefined) return []
      const read = lookup(value)
      if (isLeft(read)) throw refusal([read.left])
      return [[name, read.right] as const]
    })
  }
}

const usage = ({ table }: Contract, why: string, details: Readonly<Record<string, unknown>>): MergelawError =>
  new MergelawError('usage', `${table}: ${why}.`, { details: { table, ...details } })
