import { isLeft } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { attempt, BrokenConnection, execute, type Program, query, transaction } from '../../src/adapters/program.ts'
import { type Dialect, run, type Session } from '../../src/adapters/session.ts'
import { countSteps, FAULT_MODES, withFault } from '../support/faults.ts'
import { attempted, failure, type Harness, identity, item, itemIds, useHarness } from './harness.ts'

function* two(dialect: Dialect): Program<string> {
  yield* item(dialect, 'a')
  yield* item(dialect, 'b')
  return 'done'
}

function* openAndReturn(dialect: Dialect): Program<string> {
  yield { kind: 'begin', name: 'bare begin' }
  yield* item(dialect, 'a')
  return 'pretends to be done'
}

/** Ends the inner program after its second step, as a caller that loses interest does. */
function* cutShort(dialect: Dialect): Program<void> {
  const inner = transaction('cut', () => two(dialect))
  let turn = inner.next()
  for (let steps = 0; steps < 2 && !turn.done; steps++) turn = inner.next(yield turn.value)
  inner.return('cut')
}

export const transactionBehaviour = (makeSession: () => Promise<Harness>): void => {
  const harness = useHarness(makeSession)
  const usable = async (session: Session): Promise<void> => {
    await run(
      session,
      transaction('after', () => item(session.dialect, 'z')),
    )
    expect(await itemIds(harness().other)).toContain('z')
  }

  it('adapter: a transaction that returns is committed, and others see all of it', async () => {
    const { session, other } = harness()
    expect(
      await run(
        session,
        transaction('both', () => two(session.dialect)),
      ),
    ).toBe('done')
    expect(await itemIds(other)).toEqual(['a', 'b'])
  })

  // Catches: a commit in the error path, and an error of the program's own wrapped or swallowed.
  it('adapter: a program that throws is rolled back, and its own error comes out as it is', async () => {
    const { session, other } = harness()
    const mine = new RangeError('mine')
    const program = transaction('throws', function* (): Program<void> {
      yield* item(session.dialect, 'a')
      throw mine
    })
    expect(await attempted(session, program)).toBe(mine)
    expect(await itemIds(other)).toEqual([])
    await usable(session)
  })

  it('adapter: a decoder that throws rolls back as well', async () => {
    const { session, other } = harness()
    const program = transaction('decodes', function* (): Program<void> {
      yield* item(session.dialect, 'a')
      yield* query('read', 'select id from items', [], () => {
        throw new RangeError('mine')
      })
    })
    expect(await attempted(session, program)).toBeInstanceOf(RangeError)
    expect(await itemIds(other)).toEqual([])
  })

  it('adapter: an error of the database inside a transaction undoes what came before it', async () => {
    const { session, other } = harness()
    const program = transaction('twice', function* (): Program<void> {
      yield* item(session.dialect, 'a')
      yield* item(session.dialect, 'a')
    })
    expect((await failure(session, program)).code).toBe('constraint')
    expect(await itemIds(other)).toEqual([])
    await usable(session)
  })

  // Catches: a program that returned being believed although its work is gone, and a transaction left to the next run.
  it('adapter: a program that ends inside its transaction is rolled back and told so', async () => {
    const { session, other } = harness()
    expect(await failure(session, openAndReturn(session.dialect))).toMatchObject({ code: 'usage' })
    expect(await failure(session, cutShort(session.dialect))).toMatchObject({ code: 'usage' })
    expect(await itemIds(other)).toEqual([])
    await usable(session)
  })

  it('adapter: a program that throws between a bare begin and its end is rolled back', async () => {
    const { session, other } = harness()
    function* bare(): Program<void> {
      yield { kind: 'begin', name: 'bare begin' }
      yield* item(session.dialect, 'a')
      throw new RangeError('mine')
    }
    expect(await attempted(session, bare())).toBeInstanceOf(RangeError)
    expect(await itemIds(other)).toEqual([])
    await usable(session)
  })

  // Catches: an inner transaction whose refused begin rolls back the outer one, after which the outer body runs unprotected.
  it('adapter: transactions do not nest, and the refusal leaves the outer one alone', async () => {
    const { session, other } = harness()
    const program = transaction('outer', function* (): Program<boolean> {
      yield* item(session.dialect, 'a')
      const inner = yield* attempt(transaction('inner', () => item(session.dialect, 'b')))
      yield* item(session.dialect, 'c')
      return isLeft(inner) && inner.left.code === 'usage'
    })
    expect(await run(session, program)).toBe(true)
    expect(await itemIds(other)).toEqual(['a', 'c'])
  })

  it('adapter: commit without a transaction is refused; rollback without one does nothing', async () => {
    const { session } = harness()
    function* bare(kind: 'commit' | 'rollback'): Program<string> {
      yield { kind, name: `bare ${kind}` }
      return 'done'
    }
    expect(await failure(session, bare('commit'))).toMatchObject({ code: 'usage', details: { step: 'bare commit' } })
    expect(await run(session, bare('rollback'))).toBe('done')
  })

  it('adapter: attempt gives an error as data and the program goes on', async () => {
    const { session, other } = harness()
    function* soft(): Program<string> {
      const tried = yield* attempt(execute('missing', "insert into nowhere values ('a')", []))
      yield* item(session.dialect, 'a')
      return isLeft(tried) ? tried.left.code : 'no error'
    }
    expect(await run(session, soft())).toBe('missing-table')
    expect(await itemIds(other)).toEqual(['a'])
  })

  // Catches: a failing rollback swallowed by a soft handler, which then goes on in half a transaction; a connection kept in use.
  it('adapter: a rollback that fails is a broken connection that soft handlers rethrow; the transaction is gone', async () => {
    const { session, other } = harness()
    let wentOn = false
    function* soft(): Program<void> {
      yield* attempt(transaction('broken', () => two(session.dialect)))
      wentOn = true
    }
    const error = await failure(session, withFault(soft(), { at: 2, mode: 'connection' }))
    expect(error).toBeInstanceOf(BrokenConnection)
    expect(error.code).toBe('connection')
    expect(wentOn).toBe(false)
    expect(await itemIds(other)).toEqual([])
    await usable(session)
  })

  // Catches: BEGIN outside the try, a fault after COMMIT reported as rolled back state, a lock left behind: at every step, in every mode.
  it.each(FAULT_MODES)(
    'adapter: a fault (%s) at any step leaves all of a transaction or nothing, and the session usable',
    async (mode) => {
      const { session, other } = harness()
      const make = (): Program<string> => transaction('both', () => two(session.dialect))
      const steps = await countSteps(make, session)
      expect(steps).toBe(4)
      for (let at = 0; at < steps; at++) {
        await run(session, execute('empty', 'delete from items', []))
        const faults: string[] = []
        await failure(
          session,
          withFault(make(), { at, mode }, (step) => faults.push(step.name)),
        )
        expect(faults).toHaveLength(1)
        const committed = at === steps - 1 && mode.endsWith('after')
        expect(await itemIds(other)).toEqual(committed ? ['a', 'b'] : [])
      }
      await usable(session)
    },
  )

  it('adapter: a read inside a transaction sees its own writes, others do not', async () => {
    const { session, other } = harness()
    const seen = await run(
      session,
      transaction('own', function* (): Program<number> {
        yield* item(session.dialect, 'a')
        return (yield* query('read', 'select id from items', [], identity)).length
      }),
    )
    expect(seen).toBe(1)
    expect(await itemIds(other)).toEqual(['a'])
  })
}
