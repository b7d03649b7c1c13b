/** The newest instant; never backwards. */
export interface Touch {
  readonly kind: 'touch'
}

/** The newest instant seen (greatest). Use it for "last write" columns of rows that arrive late. SQL: a CASE that compares instants. */
export const touch = (): Touch => ({ kind: 'touch' })
