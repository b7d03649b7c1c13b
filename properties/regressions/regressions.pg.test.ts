/** What was found once is played first, on PostgreSQL. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LiveDatabase, openPostgres } from '../oracle/databases.ts'
import { assertFramesAgree } from '../oracle/frames-agree.ts'
import { writerPlayer } from '../oracle/players.ts'
import { runAndCompare } from '../oracle/run-and-compare.ts'
import { loadRegressions } from './index.ts'

describe('AC-14: regressions on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Each throws Divergence when a database differs.
  it.each(loadRegressions())('AC-14: $name', async (one) => {
    if (one.kind === 'engine') return runAndCompare(one.given, databases)
    await assertFramesAgree(one.given, await Promise.all(databases.map((database) => writerPlayer(database))))
  })
})
