/** The last value that is present wins; an absent one never blanks. */
export interface LastNonNull {
  readonly kind: 'lastNonNull'
}

/** The last reported value replaces the stored one (AC-4, AC-5). SQL: `COALESCE(excluded.c, stored.c)`. */
export const lastNonNull = (): LastNonNull => ({ kind: 'lastNonNull' })
