/** Stores that a health check may find: messages, rows that account for some of them, and a key in any spelling. */
import fc from 'fast-check'
import { messages, SESSIONS, type StoredInstant, type StoredMessage } from './messages.ts'
import { canonicalText, spell, spelling } from './values.ts'

export interface StoredRow {
  readonly session: string
  readonly execution: string
  readonly call: string
  readonly observed: StoredInstant
  readonly canonical: string
}

export interface HealthStore {
  readonly messages: readonly StoredMessage[]
  readonly rows: readonly StoredRow[]
  readonly key: string
}

/** Near each other, so that every boundary is hit: the instants that `micros` likes best, and their neighbours on the same day. */
const NEAR: readonly bigint[] = [-43_200_000_000n, -40n, -1n, 0n, 1n, 40n, 999_999n, 3_600_000_000n].map(
  (apart) => 1_785_771_140_123_456n + apart,
)

const storedRow = (): fc.Arbitrary<StoredRow> =>
  fc
    .record({
      session: fc.constantFrom(...SESSIONS),
      execution: fc.constantFrom('unknown', 'e1', 'e2'),
      call: fc.constantFrom('t1', 't2', 't3', 't\uFFFD', 'alone'),
      at: fc.constantFrom(...NEAR),
      how: spelling(),
    })
    .map(({ at, how, ...rest }) => ({
      ...rest,
      observed: { sqlite: spell(at, how), postgres: canonicalText(at).slice(0, -1) },
      canonical: canonicalText(at),
    }))

/** A message moved near the boundary; its metadata stays as hostile as it was. */
const near = (list: readonly StoredMessage[], instants: readonly StoredInstant[]): readonly StoredMessage[] =>
  list.map((message, at) => ({ ...message, created: instants[at % instants.length] ?? message.created }))

const nearInstant = (): fc.Arbitrary<StoredInstant> =>
  fc
    .tuple(fc.constantFrom(...NEAR), spelling())
    .map(([at, how]) => ({ sqlite: spell(at, how), postgres: canonicalText(at).slice(0, -1) }))

export const healthStore = (): fc.Arbitrary<HealthStore> =>
  fc.record({
    messages: fc
      .tuple(messages(), fc.array(nearInstant(), { minLength: 1, maxLength: 9 }))
      .map(([list, instants]) => near(list, instants)), // used round and round
    rows: fc.uniqueArray(storedRow(), {
      selector: ({ session, execution, call }) => `${session} ${execution} ${call}`,
      maxLength: 30,
    }), // there are 45 keys
    key: fc.tuple(fc.constantFrom(...NEAR), spelling()).map(([at, how]) => spell(at, how)),
  })
