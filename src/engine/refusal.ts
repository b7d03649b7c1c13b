import { MergelawError } from '../errors/index.ts'
import type { RowError } from '../rules/index.ts'

/** What the contract refused, as one error. */
export const refusal = (errors: readonly RowError[]): MergelawError =>
  new MergelawError('row', errors.map(({ message }) => message).join('; '), { details: { errors } })
