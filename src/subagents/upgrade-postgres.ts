import { isLeft } from 'fp-ts/lib/Either.js'
import { attempt, type Program, script } from '../adapters/program.ts'
import { MergelawError } from '../errors/index.ts'
import { LIMIT_WAIT, renderKeyChange, renderLockTable, renderWiden } from '../sql-render/index.ts'
import { subagentContexts } from './contract.ts'
import { EXECUTION_COLUMN, endStateOf, isPredecessorKey, isUnusableKey } from './end-state.ts'
import type { ObservedTable } from './observe.ts'

const contract = subagentContexts

/** Waits a little for the table, and then holds it alone: nothing later in the transaction has to wait for a stronger lock. */
function* lockTable(): Program<void> {
  yield* script('limit the wait', LIMIT_WAIT.postgres ?? '')
  yield* script('lock the table', renderLockTable(contract))
}

/**
 * Changes the key in place: constraints and plain unique indexes are found by their columns, since the server named them (AC-33).
 *
 * The table was observed before it was locked; nobody but an activation changes its shape, and those wait for the activation lock.
 */
export function* changeKey(table: ObservedTable): Program<void> {
  yield* lockTable()
  const unwanted = table.indexes.filter((index) => isPredecessorKey(index) || isUnusableKey(index))
  const steps = renderKeyChange(contract, {
    column: { name: EXECUTION_COLUMN, state: stateOfColumn(table) },
    dropConstraints: unwanted.filter(({ kind }) => kind !== 'index').map(({ name }) => name),
    dropIndexes: unwanted.filter(({ kind }) => kind === 'index').map(({ name }) => ({ schema: table.schema, name })),
    addUnique: !endStateOf(table).key,
    triggers: table.triggers
      .filter(({ mode }) => mode === 'O' || mode === 'A')
      .map(({ name, mode }) => ({ name, always: mode === 'A' })),
  })
  for (const { name, sql } of steps) yield* script(name, sql)
}

const stateOfColumn = (table: ObservedTable): 'missing' | 'nullable' | 'ready' => {
  const column = table.columns.find(({ name }) => name === EXECUTION_COLUMN)
  if (column === undefined) return 'missing'
  return column.notNull ? 'ready' : 'nullable'
}

/** Gives the metrics 64 bits. Rewrites the table once. */
export function* widenMetrics(columns: readonly string[]): Program<void> {
  yield* lockTable()
  const widened = yield* attempt(script('widen the metrics', renderWiden(contract, columns)))
  if (isLeft(widened)) throw isInUse(widened.left) ? inUse(columns, widened.left) : widened.left
}

/** feature_not_supported: a view, rule, trigger, policy or generated column depends on the column's type. */
const isInUse = ({ details: { sqlState } }: MergelawError): boolean => sqlState === '0A000'

const inUse = (columns: readonly string[], cause: MergelawError): MergelawError => {
  const { detail } = cause.details
  const what = typeof detail === 'string' ? detail : cause.message
  return new MergelawError(
    'unsupported',
    `${contract.table} keeps 32 bits for ${columns.join(', ')}, since something of the host depends on it: ${what}. ` +
      'Drop that view (or whatever it is), start again, and create it again afterwards; the backfill waits for this.',
    { cause, details: { table: contract.table, columns, detail } },
  )
}
