/** What was found once is played first, and the loader that brings it is strict. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openSqlite } from '../oracle/databases.ts'
import { assertFramesAgree } from '../oracle/frames-agree.ts'
import { replayPlayer, writerPlayer } from '../oracle/players.ts'
import { runAndCompare } from '../oracle/run-and-compare.ts'
import { loadRegressions, type Regression } from './index.ts'

describe('AC-14: regressions on SQLite', () => {
  const database = openSqlite()
  afterAll(database.close)

  const assertStillHolds = async (one: Regression): Promise<void> => {
    if (one.kind === 'engine') return runAndCompare(one.given, [database])
    if (one.given.backfilled.length === 0) await assertFramesAgree(one.given, [replayPlayer])
    await assertFramesAgree(one.given, [await writerPlayer(database)])
  }

  it.each(loadRegressions())('AC-14: $name', (one) => assertStillHolds(one))
})

describe('AC-14: the loader of regressions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'regressions-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each([
    ['a missing folder', 'missing', undefined, 'ENOENT'],
    ['an empty folder', '.', undefined, 'holds no regression'],
    ['text that is no JSON', '.', '{', 'is no JSON'],
    ['JSON that is no case', '.', '{"history":[]}', 'is neither'],
    ['a contract that is refused', '.', '{"contract":{"table":"t","key":[],"columns":{}},"history":[]}', 't: '],
  ] as const)('AC-14: refuses %s', (_, path, text, message) => {
    if (text !== undefined) writeFileSync(join(folder, 'case.json'), text)
    expect(() => loadRegressions(join(folder, path))).toThrow(message)
  })
})
