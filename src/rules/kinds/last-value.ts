/** The last row wins, NULL included. */
export interface LastValue {
  readonly kind: 'lastValue'
}

/**
 * The incoming value replaces the stored one even when it is NULL. Use it only where every row carries the column.
 *
 * A missing field is refused, since absence has no meaning here. SQL: `excluded.c`.
 */
export const lastValue = (): LastValue => ({ kind: 'lastValue' })
