import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { notRunMessage } from './prepare-run.ts'
import { runs, seedOf } from './seed.ts'

test('tooling: in CI a run without an explicit seed is refused', () => {
  expect(() => seedOf({ CI: 'true' })).toThrow('MERGELAW_SEED')
  expect(() => seedOf({ CI: 'true', MERGELAW_SEED: '' })).toThrow('MERGELAW_SEED')
  expect(seedOf({ CI: 'true', MERGELAW_SEED: '-7' })).toBe(-7)
})

test('tooling: elsewhere the seed is random, an integer of 31 bits', () => {
  expect(seedOf({}, () => 0)).toBe(0)
  expect(seedOf({}, () => 0.999999999999)).toBe(2 ** 31 - 1)
})

test.each(['1.5', 'x', '1e3', '2147483648'])('tooling: the seed %s is refused by name and value', (seed) => {
  expect(() => seedOf({ MERGELAW_SEED: seed })).toThrow(`MERGELAW_SEED=${seed}`)
})

test('tooling: --runs wins over what a property asks for, and 0 runs are refused', () => {
  expect(runs(20, {})).toBe(20)
  expect(runs(20, { MERGELAW_RUNS: '7' })).toBe(7)
  expect(() => runs(20, { MERGELAW_RUNS: '0' })).toThrow('MERGELAW_RUNS=0')
})

test("tooling: fast-check runs with this run's seed", () => {
  expect(fc.check(fc.property(fc.integer(), () => true)).seed).toBe(inject('seed'))
})

test('tooling: suites that could not run are counted and named', () => {
  expect(notRunMessage(['test/a.pg.test.ts', 'test/b.pg.test.ts'], 'no server')).toBe(
    '2 suites not run: test/a.pg.test.ts, test/b.pg.test.ts\nbecause PostgreSQL could not be started: no server',
  )
})
