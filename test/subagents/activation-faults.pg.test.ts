import { afterAll, describe, expect, it } from 'vitest'
import type { FaultMode } from '../support/faults.ts'
import { postgresDatabases } from '../support/host-database.ts'
import { type PostgresVersion, postgresUrls } from '../support/postgres.ts'
import { FORMER, PARTIAL, PREDATES } from './activation/at-once.ts'
import { everyFault } from './activation/faults.ts'

/**
 * Every step on both versions, every mode on the newer one: a run costs some hundred milliseconds of schema changes, and inside a
 * transaction the modes differ little.
 */
const MODES: Readonly<Record<PostgresVersion, readonly (readonly [string, FaultMode])[]>> = {
  15: [
    [FORMER, 'after'],
    [FORMER, 'connection'],
    [PREDATES, 'connection-after'],
  ],
  18: [
    [FORMER, 'before'],
    [FORMER, 'after'],
    [FORMER, 'connection'],
    [FORMER, 'connection-after'],
    [PREDATES, 'before'],
    [PREDATES, 'connection'],
    [PARTIAL, 'after'],
    [PARTIAL, 'connection-after'],
  ],
}

describe.each(postgresUrls())('faults on PostgreSQL $version', ({ version }) => {
  const { open, drop } = postgresDatabases(version)
  afterAll(drop)

  it.each(MODES[version])(
    'AC-20 AC-24a AC-24d AC-33a: at any step of an activation of %s, mode %s: the contract holds, and the next start recovers',
    async (name, mode) => {
      expect(await everyFault(open, name, [mode])).toBeGreaterThan(40)
    },
    300_000,
  )
})
