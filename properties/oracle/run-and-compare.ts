/** One contract, one history: the reducer and each database hold the same rows after every step, or there is a story to tell. */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { Program } from '../../src/index.ts'
import { type Contract, compileReducer, type Tuple, tableOf } from '../../src/index.ts'
import type { Row } from '../arbitraries/rows.ts'
import { firstDifference, inReadOrder } from './compare.ts'
import { type LiveDatabase, rolledBack } from './databases.ts'
import { type Fault, withFault } from './fault.ts'
import { pasteableSql, tell } from './story.ts'

export interface Case {
  readonly contract: Contract
  readonly history: readonly Row[]
}

/** Thrown when a holder differs; the message is the story. */
export class Divergence extends Error {
  override readonly name = 'Divergence'
}

/** A history after the normaliser; a row it refuses never reaches anybody. */
export const normalised = ({ contract, history }: Case): readonly Tuple[] => {
  const { normalise } = compileReducer(contract)
  return history.flatMap((row) => {
    const result = normalise(row)
    return isLeft(result) ? [] : [result.right.tuple]
  })
}

/** What the reducer holds after each row: the whole table, in read order. */
const reducerStates = (contract: Contract, rows: readonly Tuple[]): readonly (readonly Tuple[])[] => {
  const { fold } = compileReducer(contract)
  return rows.map((_, at) => inReadOrder(contract, fold(rows.slice(0, at + 1))))
}

interface Seen {
  readonly table: readonly Tuple[]
  /** What RETURNING answered, on the steps that asked. */
  readonly returned: Tuple | undefined
}

/** Plays rows into a table of its own and reads the whole table after each; every other step goes through RETURNING. */
function* play(contract: Contract, rows: readonly Tuple[], database: LiveDatabase): Program<readonly Seen[]> {
  const table = tableOf(contract, database.session.dialect)
  const seen: Seen[] = []
  yield* table.create()
  for (const [step, row] of rows.entries()) {
    const returned = step % 2 === 1 ? yield* table.upsertReturning(row) : undefined
    if (step % 2 === 0) yield* table.upsert(row)
    seen.push({ table: yield* table.list(), returned })
  }
  return seen
}

/** Throws Divergence when a database and the reducer differ after any step. */
export const runAndCompare = async (
  given: Case,
  databases: readonly LiveDatabase[],
  fault: Fault = (sql) => sql,
): Promise<void> => {
  const { contract } = given
  const rows = normalised(given)
  const expected = reducerStates(contract, rows)
  for (const database of databases) {
    const program = rolledBack('history', () => withFault(play(contract, rows, database), fault))
    const seen = await database.session.run(program)
    for (const [step, { table, returned }] of seen.entries())
      compareStep(given, rows, step, expected[step] ?? [], table, returned, database, fault)
  }
}

const compareStep = (
  { contract, history }: Case,
  rows: readonly Tuple[],
  step: number,
  expected: readonly Tuple[],
  table: readonly Tuple[],
  returned: Tuple | undefined,
  { name, session }: LiveDatabase,
  fault: Fault,
): void => {
  const names = Object.keys(contract.columns)
  const story = (difference: NonNullable<ReturnType<typeof firstDifference>>, what: string): Divergence =>
    new Divergence(
      tell({
        ...{ contract, history, difference, truth: 'reducer', holder: `${name}${what}`, steps: step + 1 },
        sql: pasteableSql(contract, session.dialect, rows.slice(0, step + 1), fault),
      }),
    )
  const difference = firstDifference(names, expected, table)
  if (difference !== undefined) throw story(difference, '')
  if (returned === undefined) return
  const keyAt = contract.key.map((key) => names.indexOf(key))
  const merged = table.find((row) => keyAt.every((at) => Object.is(row[at], rows[step]?.[at])))
  const answered = firstDifference(names, merged === undefined ? [] : [merged], [returned])
  if (answered !== undefined) throw story(answered, ' (RETURNING)')
}
