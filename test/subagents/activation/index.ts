import { describe } from 'vitest'
import { artifacts } from './artifacts.ts'
import { failures } from './failures.ts'
import type { Open } from './host.ts'
import { keys } from './keys.ts'
import { shapes } from './shape.ts'
import { statusContract } from './status.ts'

/** The activation's contract, for one database. */
export const activationContract = (name: string, open: Open): void => {
  describe(`activation on ${name}`, () => {
    shapes(open)
    keys(open)
    failures(open)
    statusContract(open)
    artifacts(open)
  })
}
