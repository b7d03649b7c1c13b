/** The laws as pure predicates: `s` is any stored row or none, `a` and `b` any incoming rows of its key. No runner, no generator. */
import type { Law, Tuple, TupleReducer } from '../../src/index.ts'

export interface Rows {
  /** Undefined: nothing is stored. */
  readonly s: Tuple | undefined
  readonly a: Tuple
  readonly b: Tuple
}

/** Whether two rows hold the same in the columns at these positions. */
type Same = (left: Tuple, right: Tuple) => boolean

const sameAt =
  (columns: readonly number[]): Same =>
  (left, right) =>
    columns.every((at) => Object.is(left[at], right[at]))

/** Both sides of each law's equation. */
const SIDES: Record<Law, (write: (s: Tuple | undefined, i: Tuple) => Tuple, rows: Rows) => readonly [Tuple, Tuple]> = {
  idempotent: (write, { s, a }) => [write(write(s, a), a), write(s, a)],
  lateReplaySafe: (write, { s, a, b }) => [write(write(write(s, a), b), a), write(write(s, a), b)],
  commutative: (write, { s, a, b }) => [write(write(s, a), b), write(write(s, b), a)],
  foldable: (write, { s, a, b }) => [write(s, write(a, b)), write(write(s, a), b)],
}

/** Whether a law holds for these rows in the columns at these positions. */
export const lawHolds = ({ merge }: Pick<TupleReducer, 'merge'>, law: Law, rows: Rows, columns: readonly number[]): boolean => {
  const write = (stored: Tuple | undefined, incoming: Tuple): Tuple => (stored === undefined ? incoming : merge(stored, incoming))
  const [left, right] = SIDES[law](write, rows)
  return sameAt(columns)(left, right)
}
