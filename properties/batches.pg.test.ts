/** Batches on PostgreSQL: the outcome of recording one by one, whatever the contract, the history, the cuts and the refusals. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Program } from '../src/index.ts'
import { batchCase, cuts } from './arbitraries/batches.ts'
import { frames } from './arbitraries/frames.ts'
import { compareBatches, frameBatches } from './oracle/batches.ts'
import { assertHolds, patience } from './oracle/check.ts'
import { type LiveDatabase, openPostgres } from './oracle/databases.ts'

/** A host's trigger that refuses the rows of one call. */
const REFUSE = `
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no c2'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON task_session_subagents FOR EACH ROW WHEN (NEW.tool_call_id = 'c2') EXECUTE FUNCTION refuse();`

const given = () => fc.record({ frames: frames(), places: cuts() })

describe('AC-14, AC-26, AC-27: batches on PostgreSQL', () => {
  let databases: readonly LiveDatabase[] = []
  beforeAll(async () => {
    databases = await openPostgres()
  })
  afterAll(async () => void (await Promise.all(databases.map(({ close }) => close()))))

  // Catches: a key twice in one statement (21000), arrays that quote or order values wrongly, a chunk that is lost, a wrong fold.
  it(
    'hazard 44: any rows, cut into any batches, leave the table that the rows leave one by one',
    { timeout: patience(120, 60) },
    () =>
      assertHolds(
        fc.asyncProperty(batchCase(), (one) => compareBatches(one, databases)),
        60,
      ),
  )

  // Catches: a refused row that takes its chunk or its transaction with it, an outcome or a counter at the wrong frame.
  it('AC-27: recordAll shows what record shows, first with orphans, then also under a trigger that refuses one call', {
    timeout: patience(120, 100),
  }, async () => {
    for (const database of databases) {
      const { compare } = await frameBatches(database)
      const property = fc.asyncProperty(given(), ({ frames: sent, places }) => compare(sent, places))
      await assertHolds(property, 100)
      await database.session.run(script(REFUSE))
      await assertHolds(property, 60)
    }
  })
})

function* script(sql: string): Program<void> {
  yield { kind: 'script', name: 'plant', sql }
}
