import { MergelawError } from '../errors/index.ts'

/** The `default` of a switch over a closed union: a new member makes the compiler point here. */
export const unreachable = (value: never, what: string): never => {
  throw new MergelawError('contract', `Unknown ${what}: ${JSON.stringify(value)}.`, { details: { value } })
}
