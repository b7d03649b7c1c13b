/** The first value that is present wins; NULL is filled forward. */
export interface FirstNonNull {
  readonly kind: 'firstNonNull'
}

/** The first reported value stays. Use it for "stamp once" columns (AC-2a, AC-11). SQL: `COALESCE(stored.c, excluded.c)`. */
export const firstNonNull = (): FirstNonNull => ({ kind: 'firstNonNull' })
