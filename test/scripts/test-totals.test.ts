import { expect, test } from 'vitest'
import { addUp, lineOf, type Report } from '../../scripts/test-totals.ts'

const report = (success: boolean, ...files: readonly (readonly [status: string, ...tests: string[]])[]): Report => ({
  success,
  testResults: files.map(([status, ...tests]) => ({ status, assertionResults: tests.map((test) => ({ status: test })) })),
})

test('tooling: the closing line adds up all runs', () => {
  const first = report(true, ['passed', 'passed', 'passed'], ['passed', 'passed'])
  const second = report(false, ['failed', 'failed', 'passed'])
  expect(lineOf(addUp([first]))).toBe('3 passed, 0 failed')
  expect(lineOf(addUp([first, second]))).toBe('4 passed, 1 failed')
  expect(lineOf(addUp([]))).toBe('0 passed, 0 failed')
})

test('tooling: a file that did not load and a run that failed as a whole are failures, skipped tests are told', () => {
  expect(lineOf(addUp([report(false, ['failed'], ['passed', 'passed'])]))).toBe('1 passed, 1 failed')
  expect(lineOf(addUp([report(false, ['passed', 'passed'])]))).toBe('1 passed, 1 failed')
  expect(lineOf(addUp([report(true, ['passed', 'passed', 'pending'])]))).toBe('1 passed, 0 failed, 1 skipped')
})
