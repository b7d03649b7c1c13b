/** A frame read the short way and one decoded by the codecs become the same row. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frames } from '../../properties/arbitraries/frames.ts'
import { assertHolds } from '../../properties/oracle/check.ts'
import { toJson } from '../../properties/oracle/json.ts'
import { finishRow, prepareDecoded, prepareEveryday } from '../../src/subagents/row.ts'

const source = { clock: { now: () => '2026-08-03T15:32:20.123456Z' }, newId: () => 'id' }

/** Undefined means that the short way does not know this frame, which is always allowed. */
const agrees = (sent: unknown): boolean => {
  const short = prepareEveryday(sent, source)
  if (short === undefined) return true
  finishRow(short.admitted)
  return toJson(short) === toJson(prepareDecoded(sent, source))
}

describe('AC-2 to AC-12: the short way of reading a frame', () => {
  // Catches: two columns swapped in the list of values, an absence or a type that only one of the two knows.
  it('AC-9: whatever it reads, the codecs read the same', () =>
    assertHolds(
      fc.property(frames(), (sent) => sent.every(agrees)),
      1_000,
    ))

  // Catches: fields of a prototype taken for the frame's own, a getter that throws, any value where a text is expected.
  it('AC-9: whatever is sent at all, the codecs say the same', () =>
    assertHolds(
      fc.property(
        fc.oneof(
          fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
          fc
            .tuple(frames(), fc.constantFrom('status', 'task_id', 'observed_at', 'normalized'), fc.anything())
            .map(([sent, name, value]) => ({
              ...sent[0],
              [name]: value,
            })),
        ),
        agrees,
      ),
      2_000,
    ))

  // Catches: a short way that knows nothing, which would agree with everything. These frames are odd on purpose: empty texts where an
  // integer or a flag stands go the long way, and so do numbers that only a bigint holds in other places.
  it('AC-9: it knows most frames that become a row', () => {
    const sample = fc.sample(frames(), { numRuns: 400, seed: 1 }).flat()
    const recorded = sample.filter((sent) => prepareDecoded(sent, source).outcome === 'prepared')
    const known = recorded.filter((sent) => prepareEveryday(sent, source) !== undefined)
    expect(recorded.length).toBeGreaterThan(500)
    expect(known.length / recorded.length).toBeGreaterThan(0.5)
  })
})
