/** What may happen to an installation between and during its starts. */
import fc from 'fast-check'
import { FAULT_MODES, type Fault } from '../../test/support/faults.ts'

export const SESSIONS = ['s1', 's2', 's3'] as const

export type Action =
  | { readonly do: 'frame'; readonly session: string; readonly execution: string; readonly tool: string }
  | {
      readonly do: 'message'
      readonly session: string
      readonly tool: string
      readonly kind: 'subagent' | 'other' | 'no task' | 'empty'
    }
  | { readonly do: 'delete session'; readonly session: string }
  | { readonly do: 'restart' }
  | { readonly do: 'activate'; readonly fault: Fault | null }
  /** A key as the former build wrote it, at second precision, where it is absent. */
  | { readonly do: 'write key'; readonly key: 'captureSince' | 'backfillThrough' }

/** How the database begins: without our table, with the predecessor, or in a shape between. */
export type Beginning = 'host' | 'predecessor' | 'between'

export interface Installation {
  readonly begins: Beginning
  readonly actions: readonly Action[]
}

const session = fc.constantFrom(...SESSIONS)
const tool = fc.constantFrom('t1', 't2', 't3')

/** An activation has 30 to 90 steps; past its end a fault never comes. */
const fault = fc.record({ at: fc.nat({ max: 90 }), mode: fc.constantFrom(...FAULT_MODES) })

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('frame' as const), session, execution: fc.constantFrom('', 'e1', 'e2'), tool }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('message' as const),
      session,
      tool,
      kind: fc.constantFrom('subagent' as const, 'subagent' as const, 'other' as const, 'no task' as const, 'empty' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete session' as const), session }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('activate' as const), fault: fc.option(fault) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('write key' as const),
      key: fc.constantFrom('captureSince' as const, 'backfillThrough' as const),
    }),
  },
)

/** The last start has no fault: what came before must never keep it from succeeding. */
export const installations = (): fc.Arbitrary<Installation> =>
  fc.record({
    begins: fc.constantFrom('host' as const, 'predecessor' as const, 'between' as const),
    // Long enough for several starts; each costs milliseconds.
    actions: fc
      .array(action, { maxLength: 12 })
      .map((actions) => [...actions, { do: 'activate' as const, fault: null }, { do: 'activate' as const, fault: null }]),
  })
