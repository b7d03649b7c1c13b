import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ADMITTED_STATUSES, admit, type Expectation, REFUSAL_CODES, type RefusalCode } from '../../src/admission/index.ts'

/** The contract's own order of the identity, written down here a second time on purpose. */
const ORDER: readonly (readonly [keyof Expectation, RefusalCode])[] = [
  ['parentSession', 'owner'],
  ['workspaceRoot', 'workspace'],
  ['systemPromptHash', 'persona'],
  ['kind', 'kind'],
  ['name', 'kind'],
  ['model', 'model'],
  ['effort', 'effort'],
  ['toolScope', 'tool-scope'],
  ['toolSchemaHash', 'tool-schema'],
]

const NOBODY: Expectation = {
  kind: '',
  name: '',
  workspaceRoot: '',
  parentSession: '',
  systemPromptHash: '',
  toolScope: [],
  toolSchemaHash: '',
  model: '',
  effort: '',
}

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', ' ', 'completed', '\u0000', '__proto__'))
const expectation: fc.Arbitrary<Expectation> = fc.record({
  kind: text,
  name: text,
  workspaceRoot: text,
  // An owner is never the empty name; that case has an example of its own below.
  parentSession: text.map((name) => `s${name}`),
  systemPromptHash: text,
  toolScope: fc.array(text),
  toolSchemaHash: text,
  model: text,
  effort: text,
})
const admitted = fc.constantFrom(...ADMITTED_STATUSES)

/** Values that are near to an admitted status, and values of any type. */
const anyStatus = fc.oneof(
  fc.anything(),
  fc.string(),
  fc.constantFrom('Completed', 'completed ', 'CANCELLED', ' cancelled', 'ｃompleted', 'running', 'failed', 'interrupted', ''),
  fc.tuple(admitted, fc.string({ minLength: 1 })).map(([status, tail]) => `${status}${tail}`),
  admitted.map((status) => [status]),
  // oxlint-disable-next-line unicorn/new-for-builtins -- an object that looks like the word, which is what is being tried
  admitted.map((status) => Object(status) as unknown),
)

const codeOf = (meta: Record<string, unknown>, wanted: Expectation): string => {
  const decision = admit(meta, wanted)
  return decision._tag === 'Left' ? decision.left.code : 'admitted'
}

describe('admission: the decision', () => {
  it('admission: exactly completed and cancelled are admitted, whatever else the status may be', () => {
    // Catches: a refuse-list, lower-casing, trimming, prefix matching, comparison after String().
    fc.assert(
      fc.property(expectation, anyStatus, (wanted, status) => {
        const isAdmitted = status === 'completed' || status === 'cancelled'
        return (codeOf({ ...wanted, ref: 'sa_1', status }, wanted) === 'admitted') === isAdmitted
      }),
    )
  })

  it('admission: the first difference in the contract order is the one that is reported', () => {
    // Catches: two identity checks swapped, a field never compared, the last difference reported instead of the first.
    fc.assert(
      fc.property(expectation, admitted, fc.subarray(ORDER.map((_, at) => at)), (wanted, status, differing) => {
        const changes = differing.map((at) => ORDER[at]?.[0] ?? 'kind').map((field) => [field, other(wanted[field])])
        const meta = { ...wanted, ref: 'sa_1', status, ...Object.fromEntries(changes) }
        const [first] = differing
        return codeOf(meta, wanted) === (first === undefined ? 'admitted' : ORDER[first]?.[1])
      }),
    )
  })

  it('admission: a status refusal does not depend on the identity', () => {
    // Catches: identity before status.
    fc.assert(
      fc.property(expectation, expectation, fc.string(), (mine, theirs, status) => {
        const own = codeOf({ ...mine, ref: 'sa_1', status }, mine)
        return own === 'admitted' || own === codeOf({ ...mine, ref: 'sa_1', status }, theirs)
      }),
    )
  })

  it('admission: it answers for any two values, without throwing or changing them', () => {
    // Catches: a decision that trusts its types (a list that is none, a missing expectation field that equals a missing value).
    const anyObject = fc.dictionary(fc.constantFrom('ref', 'status', ...ORDER.map(([field]) => field)), fc.anything())
    fc.assert(
      fc.property(anyObject, anyObject, (meta, wanted) => {
        const frozen = Object.freeze({ ...meta })
        // The types promise more than a JavaScript caller keeps; that is the point here.
        const code = codeOf(frozen, Object.freeze({ ...wanted }) as unknown as Expectation)
        return code !== 'admitted' || ORDER.every(([field]) => field in wanted && field in meta)
      }),
    )
  })

  it('admission: a refusal carries a code of the closed set, the reference, both values and an advice', () => {
    // Catches: a field left out, `undefined` where JSON needs null.
    fc.assert(
      fc.property(expectation, expectation, fc.oneof(fc.string(), fc.constantFrom(null, undefined)), (mine, wanted, status) => {
        const decision = admit({ ...mine, ref: 'sa_1', status }, wanted)
        if (decision._tag === 'Right') return decision.right.ref === 'sa_1'
        const { code, ref, found, wanted: asked, advice } = decision.left
        return (
          REFUSAL_CODES.includes(code) && ref === 'sa_1' && found !== undefined && asked !== undefined && advice.endsWith('.')
        )
      }),
    )
  })

  it.each(ORDER)('admission: an absent %s does not agree with an absent one', (field, code) => {
    // Catches: `===` on two missing values.
    const whole = { ...NOBODY, parentSession: 's', ref: 'sa_1', status: 'completed' }
    const { [field]: _left, ...meta } = whole
    const { [field]: _right, ...wanted } = whole
    // A JavaScript caller may leave a field out of the expectation too; the type does not.
    expect(codeOf(meta, wanted as unknown as Expectation)).toBe(code)
  })

  it('admission: a run without an owner is admitted to nobody, not even to a session without a name', () => {
    expect(codeOf({ ...NOBODY, ref: 'sa_1', status: 'completed' }, NOBODY)).toBe('owner')
  })
})

/** A value of the same type that is not the same. */
const other = (value: string | readonly string[]): string | readonly string[] =>
  typeof value === 'string' ? `${value}.` : [...value, 'another']
