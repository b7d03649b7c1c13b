/** Identity: never in SET, never NULL. An absent key part is refused, or becomes the declared sentinel. */
export interface Key {
  readonly kind: 'key'
  readonly absentAs?: string
}

/**
 * The column is part of the row's identity. Use `absentAs` where "we do not know" is an identity of its own (AC-31).
 *
 * A sentinel must be a text no real value can be. SQL: a member of the conflict target; no assignment.
 */
export const key = <const Options extends { readonly absentAs?: string } = object>(options?: Options): Key & Options =>
  // An absent `absentAs` stays out of the data, so that the contract's JSON round trip is the identity.
  ({ kind: 'key', ...options }) as Key & Options
