/** Every pair (stored, incoming) of a rule over a small domain with every special value: one batch of statements a rule. */
import {
  type Contract,
  codecOf,
  compileReducer,
  type Program,
  renderSchema,
  renderSelect,
  renderUpsert,
  type Tuple,
  type Value,
} from '../../src/index.ts'
import { SPECIAL_INTEGERS, SPECIAL_TEXTS } from '../arbitraries/values.ts'
import { type RuleSpec, smallRows } from '../laws/specs.ts'
import { firstDifference } from './compare.ts'
import { type LiveDatabase, rolledBack } from './databases.ts'
import { type Fault, withFault } from './fault.ts'
import { Divergence } from './run-and-compare.ts'
import { inline, pasteableSql, tell } from './story.ts'

/** Texts as the normaliser leaves them: what no database holds has become U+FFFD. The long one comes twice, to differ late. */
const TEXTS = [...new Set(SPECIAL_TEXTS.map((text) => text.toWellFormed().replaceAll('\0', '\uFFFD')))]

const SPECIAL: Record<'text' | 'int64' | 'bool' | 'instant', readonly Value[]> = {
  text: [null, ...TEXTS],
  int64: [null, ...SPECIAL_INTEGERS],
  bool: [null, false, true],
  instant: [
    ...[
      null,
      '0001-01-01T00:00:00.000000Z',
      '1969-12-31T23:59:59.999999Z',
      '1970-01-01T00:00:00.000000Z',
      '2000-02-29T12:00:00.500000Z',
    ],
    ...[
      '2026-08-03T15:32:20.123456Z',
      '2026-08-03T15:32:20.123457Z',
      '2026-08-03T15:32:21.000000Z',
      '9999-12-31T23:59:59.999999Z',
    ],
  ],
}

/** Rows of one key: all special values where the rule stands alone, the small domain where a guard multiplies them. */
const rowsOf = (contract: Contract): readonly Tuple[] => {
  const others = Object.entries(contract.columns).filter(([, { rule }]) => rule.kind !== 'key')
  const [only] = others
  return others.length === 1 && only !== undefined ? SPECIAL[only[1].type].map((value) => ['k', value]) : smallRows(contract)
}

/** The row that is stored, and the one that comes; nothing is stored for the first ones, so that every row is inserted once. */
interface Pair {
  readonly stored: Tuple | undefined
  readonly incoming: Tuple
}

const pairsOf = (contract: Contract): readonly Pair[] => {
  const rows = rowsOf(contract)
  return [undefined, ...rows].flatMap((stored) => rows.map((incoming) => ({ stored, incoming })))
}

/** Fixed width, so that the table's order is the pairs' order. */
const keyed = (tuple: Tuple, pair: number): Tuple => [`k${String(pair).padStart(6, '0')}`, ...tuple.slice(1)]

function* playPairs(
  contract: Contract,
  pairs: readonly Pair[],
  { session: { dialect } }: LiveDatabase,
): Program<readonly Tuple[]> {
  const { encode, decode } = codecOf(contract, dialect)
  const upsert = renderUpsert(contract, dialect).sql
  yield { kind: 'script', name: 'create', sql: renderSchema(contract, dialect) }
  const batches = [
    pairs.flatMap(({ stored }, pair) => (stored === undefined ? [] : [encode(keyed(stored, pair))])),
    pairs.map(({ incoming }, pair) => encode(keyed(incoming, pair))),
  ]
  for (const rows of batches) {
    // PostgreSQL: one text for the whole batch, since a round trip a row costs more than all its statements.
    if (dialect === 'postgres')
      yield { kind: 'script', name: 'batch', sql: rows.map((row) => `${inline(upsert, row)};`).join('\n') }
    else yield { kind: 'runMany', name: 'batch', sql: upsert, rows }
  }
  const { rows } = yield { kind: 'query', name: 'read', sql: renderSelect(contract, dialect).sql, params: [], prepare: false }
  return rows.map(decode)
}

/** Compares every pair of a rule with the reducer; throws Divergence with the first that differs, else tells how many there were. */
export const exhaust = async ({ contract }: RuleSpec, database: LiveDatabase, fault: Fault = (sql) => sql): Promise<number> => {
  const { merge } = compileReducer(contract)
  const pairs = pairsOf(contract)
  const expected = pairs.map(({ stored, incoming }, pair) =>
    stored === undefined ? keyed(incoming, pair) : merge(keyed(stored, pair), keyed(incoming, pair)),
  )
  const actual = await database.session.run(rolledBack('pairs', () => withFault(playPairs(contract, pairs, database), fault)))
  const difference = firstDifference(Object.keys(contract.columns), expected, actual)
  if (difference === undefined) return pairs.length
  const { stored, incoming } = pairs[difference.row] ?? { stored: undefined, incoming: [] }
  const history = stored === undefined ? [incoming] : [stored, incoming]
  const sql = pasteableSql(contract, database.session.dialect, history, fault)
  throw new Divergence(
    tell({ contract, history, truth: 'reducer', holder: database.name, steps: history.length, difference, sql }),
  )
}
