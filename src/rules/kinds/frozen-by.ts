import type { Plain } from './plain.ts'

/** The stored value stands while the *stored* guard column is non-NULL; else the inner rule decides. */
export interface FrozenBy<Guard extends string = string, Inner extends Plain = Plain> {
  readonly kind: 'frozenBy'
  readonly guard: Guard
  readonly rule: Inner
}

/**
 * The column stops changing once the stored guard is set (AC-12). Freezes this column alone, and never looks at the incoming guard.
 *
 * SQL: `CASE WHEN stored.guard IS NOT NULL THEN stored.c ELSE <inner> END`.
 */
export const frozenBy = <Guard extends string, Inner extends Plain>(guard: Guard, rule: Inner): FrozenBy<Guard, Inner> => ({
  kind: 'frozenBy',
  guard,
  rule,
})
