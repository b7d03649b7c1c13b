/** Order, for every rule of the first contract: what any order leaves, what the first decides for good, what the last decides. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type Contract, compileReducer, lawsOf, RULE_KINDS } from '../src/index.ts'
import { subagentContexts } from '../src/subagents/index.ts'
import { contractWithOneKey } from './arbitraries/rows.ts'
import { columnsOf, IN_ANY_ORDER, ONCE_HELD } from './models/order.ts'
import { byOrder, inAnyOrder, keepsOnceHeld } from './models/order-properties.ts'
import { SUBAGENT_MUTANTS } from './mutants/subagents.ts'
import { assertHolds, patience, runsToFind } from './oracle/check.ts'
import { openSqlite } from './oracle/databases.ts'
import { fromJson } from './oracle/json.ts'
import { names, replayPlayer, writerPlayer } from './oracle/players.ts'
import { normalised } from './oracle/run-and-compare.ts'

/** The rules the first contract uses; a rule it comes to use later is here by itself. */
const USED = RULE_KINDS.filter((kind) => columnsOf(kind).length > 0)
const RUNS = 150

describe('AC-14: the order of commits', () => {
  // Catches: two-column key, a sticky flag that resets, updated_at by the last frame, a settled row that re-opens.
  it.each(USED)('AC-14: %s columns are as claimed in any order', { timeout: patience(30, RUNS) }, (rule) =>
    assertHolds(inAnyOrder(replayPlayer, rule), RUNS),
  )

  // Catches: turn_id last-wins, observed_at as the minimum, settled_at last-wins, a last report that does not win.
  it.each(USED)(
    'AC-14: %s columns are decided by commit order as claimed, after every frame',
    { timeout: patience(30, RUNS) },
    (rule) => assertHolds(byOrder(replayPlayer, rule), RUNS),
  )

  // Catches: id, task_id or source overwritten, a later terminal frame that overwrites a settled tool_status.
  it.each(USED.filter((rule) => ONCE_HELD[rule] !== undefined))(
    'AC-14: %s columns never change what they keep once they hold it',
    { timeout: patience(30, RUNS) },
    (rule) => assertHolds(keepsOnceHeld(replayPlayer, rule), RUNS),
  )

  // Catches: a fold in memory that differs from single statements.
  it('hazard 44: merge is associative for the first contract', () => {
    const contract: Contract = subagentContexts
    const { merge } = compileReducer(contract)
    expect(lawsOf(contract).contract).toContain('foldable')
    return assertHolds(
      fc.property(contractWithOneKey(fc.constant(contract), 3), ({ rows }) => {
        const [a, b, c] = normalised({ contract, history: rows })
        if (a === undefined || b === undefined || c === undefined) throw new Error('the arbitrary built a row that is refused')
        expect(merge(merge(a, b), c)).toStrictEqual(merge(a, merge(b, c)))
      }),
      2_000,
    )
  })
})

interface OrderCounterexample {
  readonly column: string
  readonly a: Readonly<Record<string, unknown>>
  readonly b: Readonly<Record<string, unknown>>
}

const stored = fromJson(readFileSync(join(import.meta.dirname, 'laws', 'order-counterexamples.json'), 'utf8')) as {
  readonly base: Readonly<Record<string, unknown>>
  readonly columns: readonly OrderCounterexample[]
}

describe('AC-14: what order decides is shown by stored rows', () => {
  const orderDecides = names.filter((name) => {
    const rule = subagentContexts.columns[name as keyof typeof subagentContexts.columns].rule.kind
    return IN_ANY_ORDER[rule]({ [name]: 'a' }, name) !== 'a' && rule !== 'boolOr'
  })

  it('AC-14: every column whose value order decides has one, and no other', () => {
    expect(stored.columns.map(({ column }) => column).sort()).toEqual(orderDecides.sort())
  })

  it.each(stored.columns)('AC-14: $column depends on order', ({ column, a, b }) => {
    const { normalise, fold } = compileReducer(subagentContexts)
    const tuples = [a, b].map((own) => {
      const result = normalise({ ...stored.base, ...own })
      if (result._tag === 'Left') throw new Error(result.left.map(({ message }) => message).join('; '))
      return result.right.tuple
    })
    const value = (rows: typeof tuples) => fold(rows)[0]?.[names.indexOf(column)]
    expect(value(tuples)).not.toStrictEqual(value(tuples.toReversed()))
  })
})

describe('AC-14: the order properties catch what breaks them', () => {
  const database = openSqlite()
  afterAll(database.close)

  it.each([
    ['turn_id last-wins', 'firstNonNull', byOrder],
    ['settled_at last-wins', 'firstNonNull', keepsOnceHeld],
    ['observed_at as the minimum', 'writeOnce', keepsOnceHeld],
    ['task_id overwritten', 'writeOnce', byOrder],
    ['id overwritten', 'writeOnce', keepsOnceHeld],
    ['is_async reset', 'boolOr', inAnyOrder],
    ['updated_at last-wins', 'touch', inAnyOrder],
    ['no freeze', 'frozenBy', inAnyOrder],
    ['a later terminal frame overwrites a settled tool_status', 'frozenBy', keepsOnceHeld],
    ['excluded and stored swapped in model', 'lastNonNull', byOrder],
    ['COALESCE missing on model', 'lastNonNull', inAnyOrder],
    ['two-column key', 'key', inAnyOrder],
  ] as const)('AC-14: %s', async (name, rule, property) => {
    const mutant = SUBAGENT_MUTANTS.find((one) => one.name === name)
    if (mutant === undefined) throw new Error(`there is no mutant "${name}"`)
    const player = await writerPlayer(database, mutant.plant)
    const { found } = await runsToFind(property(player, rule), { seed: 20_260_803, numRuns: 1_000 })
    expect(found, `"${name}" survived`).toBeDefined()
  })
})
