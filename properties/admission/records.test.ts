import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { MergelawError, type RunStore } from '../../src/admission/index.ts'
import {
  hashes,
  identity,
  metaFile,
  newFolder,
  readMeta,
  removeFolders,
  reopen,
  savedRun,
} from '../../test/support/admission/stores.ts'

afterAll(removeFolders)

/** The names of the contract's fields: everything else is unknown. */
const KNOWN = new Set([
  ...Object.keys(identity('me')),
  'ref',
  'status',
  'parentToolCallId',
  'forkedFrom',
  'createdAt',
  'updatedAt',
])

const folder = newFolder()
const store: RunStore = reopen(folder)
const ref = savedRun(store, 'me')
const whole = readMeta(folder, ref)

const unknownFields = fc
  .dictionary(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', 'isLosslessNumber', '0')),
    fc.jsonValue(),
  )
  .map((fields) => Object.fromEntries(Object.entries(fields).filter(([name]) => !KNOWN.has(name))))

/** JSON, and what is nearly JSON: cut off, doubled, of another shape. */
const content = fc.oneof(
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.dictionary(fc.constantFrom(...KNOWN), fc.jsonValue()).map((fields) => JSON.stringify({ ...whole, ...fields })),
  fc.nat({ max: JSON.stringify(whole).length }).map((end) => JSON.stringify(whole).slice(0, end)),
)

const write = (bytes: string | Uint8Array): void => writeFileSync(metaFile(folder, ref), bytes)

describe('admission: records', () => {
  it('admission: unknown fields survive a continuation that ends well, whatever they hold', () => {
    // Catches: a writer that keeps only the fields it knows, Object.assign on `__proto__`, a serializer with reserved names.
    fc.assert(
      fc.property(unknownFields, (fields) => {
        write(JSON.stringify({ ...fields, ...whole }))
        const before = readMeta(folder, ref)
        const result = store.prepareContinue(ref, identity('me'))
        if (result._tag === 'Left') return false
        store.saveCompleted(result.right, 'x')
        result.right.release()
        const { updatedAt } = readMeta(folder, ref)
        return JSON.stringify(readMeta(folder, ref)) === JSON.stringify({ ...before, updatedAt })
      }),
    )
  })

  it('admission: whatever lies in the file, the answer is a record or an error with a code, and no byte changes', () => {
    // Catches: a decoder that throws its own errors, one that repairs, one that takes a list or a text for a record.
    fc.assert(
      fc.property(fc.oneof(content, fc.uint8Array()), (bytes) => {
        write(bytes)
        const before = hashes(folder)
        const answers = [
          () => store.load(ref),
          () => store.prepareContinue(ref, identity('me')),
          () => store.markInterrupted(ref),
        ]
        const statusBefore = /"status":"running"/.test(readFileSync(metaFile(folder, ref), 'utf8'))
        for (const answer of statusBefore ? answers.slice(0, 2) : answers)
          expect(failureOf(answer)).toMatch(/^(none|malformed-metadata)$/)
        expect(hashes(folder)).toEqual(before)
      }),
    )
  })

  it('admission: whatever is altered, a run is admitted only with exactly the identity and an admitted status', () => {
    // Catches: a field that is not compared, a type that is converted before it is compared.
    const changed = fc.dictionary(fc.constantFrom(...KNOWN), fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(whole))))
    fc.assert(
      fc.property(changed, (fields) => {
        const meta: Record<string, unknown> = { ...whole, ...fields }
        write(JSON.stringify(meta))
        const isSame = Object.entries(identity('me')).every(
          ([name, value]) => JSON.stringify(meta[name]) === JSON.stringify(value),
        )
        const mayGoOn = isSame && (meta['status'] === 'completed' || meta['status'] === 'cancelled')
        return mayGoOn || !isAdmitted()
      }),
    )
  })
})

const isAdmitted = (): boolean => {
  try {
    const result = store.prepareContinue(ref, identity('me'))
    if (result._tag === 'Right') result.right.release()
    return result._tag === 'Right'
  } catch (error) {
    if (error instanceof MergelawError) return false
    throw error
  }
}

const failureOf = (call: () => unknown): string => {
  try {
    const result = call()
    // An admitted run gives its lock back, so that the next answer is not about the lock.
    if (typeof result === 'object' && result !== null && 'right' in result) (result.right as { release: () => void }).release()
    return 'none'
  } catch (error) {
    return error instanceof MergelawError ? error.code : `another error: ${String(error)}`
  }
}
