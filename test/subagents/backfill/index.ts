import { describe } from 'vitest'
import { artifactsRun } from './artifacts.ts'
import { healthReports } from './health.ts'
import { healthWindow } from './health-window.ts'
import type { Open } from './host.ts'
import { referenceStore } from './reference.ts'
import { rowsOfMessages } from './rows.ts'
import { whichMessages } from './which.ts'

/** The backfill's contract, for one database. */
export const backfillContract = (name: string, open: Open): void => {
  describe(`backfill on ${name}`, () => {
    rowsOfMessages(open)
    whichMessages(open)
    referenceStore(open)
    healthReports(open)
    healthWindow(open)
    artifactsRun(open)
  })
}
