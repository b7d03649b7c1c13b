/** Random lives of an installation on each PostgreSQL. */
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { postgresDatabases } from '../test/support/host-database.ts'
import { postgresUrls } from '../test/support/postgres.ts'
import { installations } from './arbitraries/activations.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { playActivation } from './oracle/play-activation.ts'

describe.each(postgresUrls())(
  'AC-20, AC-24, AC-24a, AC-24d, AC-28, AC-33: random installations on PostgreSQL $version',
  ({ version }) => {
    const { open, drop } = postgresDatabases(version)
    afterAll(drop)

    // Catches: the same as on SQLite, in PostgreSQL's own upgrade, lock, catalogue and instants.
    it('AC-24d AC-33a: every start keeps the contract, whatever happens', { timeout: patience(240, 25) }, () =>
      assertHolds(
        fc.asyncProperty(installations(), (installation) => playActivation(open, installation)),
        25,
      ),
    )
  },
)
