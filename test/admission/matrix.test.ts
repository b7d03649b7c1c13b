import { afterAll, describe, expect, it } from 'vitest'
import { DIFFERENCES, HOSTILE_SHAPES, identityFailures, SHAPES, statusFailures } from '../support/admission/matrix.ts'
import { ROUTE_NAMES, scenarios } from '../support/admission/scenarios.ts'
import { removeFolders } from '../support/admission/stores.ts'

afterAll(removeFolders)

describe('admission: the matrix on real files', () => {
  it('admission: covers fourteen status shapes, the five known ones among them, on five routes', () => {
    expect(SHAPES).toHaveLength(14)
    expect(scenarios().map(({ route }) => route)).toEqual([...ROUTE_NAMES])
    expect(SHAPES.filter(({ code }) => code === null).map(({ status }) => status)).toEqual(['completed', 'cancelled'])
  })

  it('admission: every status shape on every route gets its code, changes no byte and leaves no lock', () => {
    expect([...statusFailures(undefined, SHAPES)]).toEqual([])
  }, 60_000)

  it('admission: look-alikes, other types and near misses are unknown on every route', () => {
    expect(HOSTILE_SHAPES.length).toBeGreaterThan(15)
    expect([...statusFailures(undefined, HOSTILE_SHAPES)]).toEqual([])
  }, 60_000)

  it('admission: each identity field differing alone is refused with its own code on every route', () => {
    expect(new Set(DIFFERENCES.map(([field]) => field)).size).toBe(9)
    expect([...identityFailures()]).toEqual([])
  }, 60_000)
})
