import { expect, it } from 'vitest'
import { openSqliteMemory } from '../support/host-database.ts'
import { STARTS } from './activation/at-once.ts'
import { everyFault } from './activation/faults.ts'

it.each(Object.keys(STARTS))(
  'AC-20 AC-24a AC-24d AC-33a: on SQLite a fault at any step of an activation of %s keeps the contract, and the next start recovers',
  async (name) => {
    expect(await everyFault(openSqliteMemory, name)).toBeGreaterThan(100)
  },
  300_000,
)
