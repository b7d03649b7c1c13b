/** Batches on SQLite: the outcome of recording one by one, whatever the contract, the history, the cuts and the refusals. */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { MergelawError, type Program } from '../src/index.ts'
import { batchCase, cuts } from './arbitraries/batches.ts'
import { frames } from './arbitraries/frames.ts'
import { foldsAnyway } from './mutants/batches.ts'
import { compareBatches, frameBatches, swallowing } from './oracle/batches.ts'
import { assertHolds, patience, runsToFind } from './oracle/check.ts'
import { openSqlite } from './oracle/databases.ts'

const SEED = 20_260_803

describe('AC-14: batches of any contract on SQLite', () => {
  const sqlite = openSqlite()
  afterAll(sqlite.close)

  // Catches: a fold that the laws do not allow, rows out of order, a group that loses a member, a row that is written twice.
  it(
    'hazard 44: any rows, cut into any batches, leave the table that the rows leave one by one',
    { timeout: patience(60, 600) },
    () =>
      assertHolds(
        fc.asyncProperty(batchCase(), (given) => compareBatches(given, [sqlite])),
        600,
      ),
  )

  it('hazard 44: folding a contract that is not foldable is caught', async () => {
    const { found } = await runsToFind(
      fc.asyncProperty(batchCase(), (given) => compareBatches(given, [sqlite], foldsAnyway)),
      { seed: SEED, numRuns: 2_000 },
    )
    expect(found).toBeDefined()
  })
})

/** A host's trigger that refuses the rows of one call: what it does to the statement and the transaction is its own choice. */
const refusing = (how: 'ABORT' | 'FAIL' | 'ROLLBACK'): string =>
  `CREATE TRIGGER refuse BEFORE INSERT ON task_session_subagents WHEN NEW.tool_call_id = 'c2' BEGIN SELECT RAISE(${how}, 'no c2'); END`

describe('AC-26, AC-27: recordAll on SQLite', () => {
  const open: ReturnType<typeof openSqlite>[] = []
  afterAll(async () => void (await Promise.all(open.map(({ close }) => close()))))
  const opened = (): ReturnType<typeof openSqlite> => {
    const database = openSqlite()
    open.push(database)
    return database
  }

  // Catches: a refused row that takes the batch with it, a frame counted twice or not at all, an outcome at the wrong place, another
  // frame's id or instant in a row that was made again. One frame in twenty names a session that does not exist.
  it('AC-27: recordAll shows what record shows: rows with their ids, outcomes in order, counters, warnings', {
    timeout: patience(60, 600),
  }, async () => {
    const { compare } = await frameBatches(opened())
    await assertHolds(
      fc.asyncProperty(fc.record({ frames: frames(), places: cuts() }), (given) => compare(given.frames, given.places)),
      600,
    )
  })

  // Catches: a transaction that the database ended being taken for one that goes on; a row that RAISE(FAIL) left half written.
  it.each(['ABORT', 'FAIL', 'ROLLBACK'] as const)(
    'AC-27: the same under a trigger that refuses one call by RAISE(%s)',
    async (how) => {
      const database = opened()
      const { compare } = await frameBatches(database)
      await database.session.run(script(refusing(how)))
      await assertHolds(
        fc.asyncProperty(fc.record({ frames: frames(), places: cuts() }), (given) => compare(given.frames, given.places)),
        200,
      )
    },
  )

  it('AC-27: a refused row that takes the batch with it is caught', async () => {
    const database = opened()
    const { compare } = await frameBatches({ ...database, session: swallowing(database.session, blame) })
    const property = fc.asyncProperty(fc.record({ frames: frames(), places: cuts() }), (given) =>
      compare(given.frames, given.places),
    )
    expect((await runsToFind(property, { seed: SEED, numRuns: 500 })).found).toBeDefined()
  })
})

/** What a writer that does not look at codes sees: every error is the whole batch's. */
const blame = (error: unknown): unknown => (error instanceof MergelawError ? new MergelawError('unknown', error.message) : error)

function* script(sql: string): Program<void> {
  yield { kind: 'script', name: 'plant', sql }
}
