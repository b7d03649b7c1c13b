/** First value: whatever the creating row held, NULL included. */
export interface WriteOnce {
  readonly kind: 'writeOnce'
}

/** The column keeps what the creating row held, even NULL (first_value). Use it for provenance: id, source, observed_at. SQL: no assignment. */
export const writeOnce = (): WriteOnce => ({ kind: 'writeOnce' })
