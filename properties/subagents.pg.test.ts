/** The first contract on random histories of frames: the model and PostgreSQL agree after every frame. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { frameHistory } from './arbitraries/frames.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'
import { assertFramesAgree } from './oracle/frames-agree.ts'
import { writerPlayer } from './oracle/players.ts'
import { frameRegressions } from './regressions/index.ts'

describe('AC-1 to AC-15, AC-26, AC-30 to AC-32: random frames on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Catches: whatever the writer, the statement or the codec does on PostgreSQL alone: int4, local time, NULL ordering, lost digits.
  const assertSame = async (on: readonly LiveDatabase[], numRuns: number): Promise<void> => {
    const players = await Promise.all(on.map((database) => writerPlayer(database)))
    const property = fc.asyncProperty(frameHistory(), (history) => assertFramesAgree(history, players))
    await assertHolds(property, numRuns, frameRegressions())
  }

  it('AC-14: the writer on PostgreSQL shows what the spec says of the whole history', { timeout: patience(90, 250) }, () =>
    assertSame(databases.slice(-1), 250),
  )

  it('AC-14: and so does the writer on an older one, with fewer runs', { timeout: patience(60, 50) }, () =>
    assertSame(databases.slice(0, -1), 50),
  )
})
