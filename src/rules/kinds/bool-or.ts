/** Sticky: true once any row was true; NULL counts as absent. */
export interface BoolOr {
  readonly kind: 'boolOr'
}

/** True as soon as either side is true. Use it for "ever" flags. SQL: a CASE, since `NULL OR false` is NULL (hazard 31). */
export const boolOr = (): BoolOr => ({ kind: 'boolOr' })
