import { describe } from 'vitest'
import { failures } from './failures.ts'
import type { Open } from './host.ts'
import { keys } from './keys.ts'
import { shapes } from './shape.ts'

/** The activation's contract, for one database. */
export const activationContract = (name: string, open: Open): void => {
  describe(`activation on ${name}`, () => {
    shapes(open)
    keys(open)
    failures(open)
  })
}
