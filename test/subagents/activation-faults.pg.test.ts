import { afterAll, describe, expect, it } from 'vitest'
import { STARTS } from './activation/at-once.ts'
import { everyFault } from './activation/faults.ts'
import { postgresDatabases } from '../support/host-database.ts'
import { postgresUrls } from '../support/postgres.ts'

describe.each(postgresUrls())('faults on PostgreSQL $version', ({ version }) => {
  const { open, drop } = postgresDatabases(version)
  afterAll(drop)

  it.each(Object.keys(STARTS))(
    'AC-20 AC-24a AC-24d AC-33a: a fault at any step of an activation of %s keeps the contract, and the next start recovers',
    async (name) => {
      expect(await everyFault(open, name)).toBeGreaterThan(100)
    },
    300_000,
  )
})
