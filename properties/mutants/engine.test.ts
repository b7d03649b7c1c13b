/** Every wrong lowering is caught on random contracts, and the machinery that catches it tells its story. */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { contract } from '../arbitraries/contracts.ts'
import { contractWithHistory } from '../arbitraries/rows.ts'
import { runsToFind } from '../oracle/check.ts'
import { openSqlite } from '../oracle/databases.ts'
import type { Fault } from '../oracle/fault.ts'
import { fromJson } from '../oracle/json.ts'
import { type Case, runAndCompare } from '../oracle/run-and-compare.ts'
import { ENGINE_MUTANTS } from './engine.ts'
import { measured } from './runs.ts'

const SEED = 20_260_803

const { limitOf, mutants: known, record } = measured('engine')

describe('mutants of the engine on SQLite', () => {
  const sqlite = openSqlite()
  afterAll(sqlite.close)
  const property = (fault: Fault) =>
    fc.asyncProperty(contractWithHistory(contract()), (given) => runAndCompare(given, [sqlite], fault))

  it('AC-14: what is not mutated passes the same runs', async () => {
    const { found, report } = await runsToFind(
      property((sql) => sql),
      { seed: SEED, numRuns: 300 },
    )
    expect(found, report).toBeUndefined()
  })

  it.each(ENGINE_MUTANTS.map((mutant) => [`${mutant.breaks}: ${mutant.name}`, mutant] as const))(
    '%s',
    async (_, { name, fault }) => {
      const { found, report } = await runsToFind(property(fault), { seed: SEED, numRuns: limitOf(name) })
      expect(found, `"${name}" survived`).toBeDefined()
      expect(report).toMatch(/sqlite(?: \(RETURNING\))? differs from the reducer/) // and not: the statement was refused
      record(name, found ?? 0)
    },
  )

  it('AC-14: a planted fault is told as a story: who holds what, since when, the seed, SQL to paste, JSON to keep', async () => {
    const [swapped] = ENGINE_MUTANTS
    const { report } = await runsToFind(property(swapped?.fault ?? ((sql) => sql)), { seed: SEED, numRuns: 500, shrink: true })
    expect(report).toMatch(/^sqlite(?: \(RETURNING\))? differs from the reducer after step 2 of 2\./)
    expect(report).toMatch(/First column that differs: ".*" \(.*"lastNonNull".*\): the reducer holds .*, sqlite/)
    for (const part of [
      'The row the reducer holds: {',
      'Contract: {',
      'History:\n  1. ',
      `Seed ${SEED}`,
      'MERGELAW_SEED=',
      'BEGIN;',
      'ROLLBACK;',
    ]) {
      expect(report).toContain(part)
    }
    const shrunk = fromJson(report.slice(report.lastIndexOf('\n{\n'))) as Case // the case that was printed to be kept
    expect(shrunk.history).toHaveLength(2)
    await expect(runAndCompare(shrunk, [sqlite], swapped?.fault)).rejects.toThrow('differs from the reducer')
    await runAndCompare(shrunk, [sqlite])
  })

  it('AC-14: every mutant is measured, and no measurement is of a mutant that is gone', () => {
    expect([...known()].sort()).toEqual(ENGINE_MUTANTS.map(({ name }) => name).sort())
  })
})
