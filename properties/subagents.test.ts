/** The first contract on random histories of frames: the model, the reducer and SQLite agree after every frame. */
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { frameHistory } from './arbitraries/frames.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { openSqlite } from './oracle/databases.ts'
import { assertFramesAgree } from './oracle/frames-agree.ts'
import { replayPlayer, writerPlayer } from './oracle/players.ts'
import { frameRegressions } from './regressions/index.ts'

describe('AC-1 to AC-15, AC-26, AC-30 to AC-32: random frames', () => {
  const sqlite = openSqlite()
  afterAll(sqlite.close)

  // Catches: any rule of the contract that is not the spec's, any absence decided wrongly, any counter.
  it('AC-14: the reducer shows what the spec says of the whole history', { timeout: patience(60, 1_000) }, () =>
    assertHolds(
      fc.asyncProperty(frameHistory(), ({ frames }) => assertFramesAgree({ backfilled: [], frames }, [replayPlayer])),
      1_000,
      frameRegressions(),
    ),
  )

  // Catches: the same in the writer, in the statement, in the codec, and whatever one frame does to another frame's row.
  it('AC-14: the writer on SQLite shows what the spec says of the whole history', { timeout: patience(60, 1_000) }, async () => {
    const players = [await writerPlayer(sqlite)]
    await assertHolds(
      fc.asyncProperty(frameHistory(), (history) => assertFramesAgree(history, players)),
      1_000,
      frameRegressions(),
    )
  })
})
