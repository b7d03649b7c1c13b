import { describe, expect, it } from 'vitest'
import { defineContract, key, lastNonNull, reducerOf, touch } from '../../src/index.ts'

const contract = defineContract({
  table: 'jobs',
  key: ['id'],
  columns: {
    id: { type: 'text', rule: key() },
    state: { type: 'text', nullable: true, rule: lastNonNull() },
    seen: { type: 'instant', rule: touch() },
  },
})
const { merge, fold } = reducerOf(contract)

describe('the reducer over rows written by hand', () => {
  // Catches: touch that compares the spelling: '.' sorts before 'Z', and so half a second later looks earlier.
  it('hazard 43: instants merge as moments, whatever their spelling', () => {
    const stored = { id: 'a', state: null, seen: '2026-01-01T00:00:00Z' }
    const incoming = { id: 'a', state: 'on', seen: '2026-01-01T00:00:00.5Z' }
    expect(merge(stored, incoming)).toEqual({ id: 'a', state: 'on', seen: '2026-01-01T00:00:00.500000Z' })
  })

  it('hazard 43: a text that is no instant is refused by name', () => {
    expect(() => fold([{ id: 'a', state: null, seen: 'zzz' }])).toThrow('jobs.seen: "zzz" is no instant')
  })

  // Catches: a merge that takes the stored key and drops a whole row.
  it('hazard 8: rows of two keys do not merge', () => {
    const row = { state: null, seen: '2026-01-01T00:00:00Z' }
    expect(() => merge({ ...row, id: 'a' }, { ...row, id: 'b' })).toThrow('jobs.id: "a" and "b" are two keys')
  })
})
