/** The first contract on random histories of frames: the model and PostgreSQL agree after every frame. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { frameHistory } from './arbitraries/frames.ts'
import { holds, patience } from './oracle/check.ts'
import { compareFrames } from './oracle/compare-frames.ts'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'
import { writerPlayer } from './oracle/players.ts'
import { frameRegressions } from './regressions/index.ts'

describe('AC-1 to AC-15, AC-26, AC-30 to AC-32: random frames on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Catches: whatever the writer, the statement or the codec does on PostgreSQL alone: int4, local time, NULL ordering, lost digits.
  it('AC-14: the writer on PostgreSQL shows what the spec says of the whole history', {
    timeout: patience(90, 300),
  }, async () => {
    const players = await Promise.all(databases.map((database) => writerPlayer(database)))
    await holds(
      fc.asyncProperty(frameHistory(), (history) => compareFrames(history, players)),
      300,
      frameRegressions(),
    )
  })
})
