/** Random lives of an installation on SQLite: frames, messages, deletions, starts with faults, keys of the former build, former tables. */
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { openSqliteMemory } from '../test/support/host-database.ts'
import { installations } from './arbitraries/activations.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { playActivation } from './oracle/play-activation.ts'

describe('AC-20, AC-24, AC-24a, AC-24d, AC-28, AC-33: random installations', () => {
  // Catches: a key without its work, work without its key, a key rewritten, a boundary that claims too much, a table half made, a row
  // lost, an alarm missed or made up; see properties/mutants/activation.ts.
  it('AC-24d AC-33a: on SQLite every start keeps the contract, whatever happens', { timeout: patience(120, 150) }, () =>
    assertHolds(
      fc.asyncProperty(installations(), (installation) => playActivation(openSqliteMemory, installation)),
      150,
    ),
  )
})
