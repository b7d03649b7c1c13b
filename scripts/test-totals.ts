/** `tsx scripts/test-totals.ts FOLDER`: adds up the reports of all vitest runs as `N passed, N failed`; fails unless all passed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What vitest's JSON reporter says of one run, as far as it is used here. */
export type Report = {
  readonly success: boolean
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[]
}

export type Totals = { readonly passed: number; readonly failed: number; readonly skipped: number }

const count = (statuses: readonly string[], wanted: string): number => statuses.filter((status) => status === wanted).length

/** A file that failed without a failed test (it did not load) counts as one failure, and so does a run that failed as a whole. */
const totalsOf = ({ success, testResults }: Report): Totals => {
  const tests = testResults.flatMap((file) => file.assertionResults.map((test) => test.status))
  const isBroken = (file: Report['testResults'][number]): boolean =>
    file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')
  const failed = count(tests, 'failed') + testResults.filter(isBroken).length
  const passed = count(tests, 'passed')
  return { passed, failed: failed === 0 && !success ? 1 : failed, skipped: tests.length - passed - count(tests, 'failed') }
}

export const addUp = (reports: readonly Report[]): Totals =>
  reports
    .map(totalsOf)
    .reduce(
      (sum, one) => ({ passed: sum.passed + one.passed, failed: sum.failed + one.failed, skipped: sum.skipped + one.skipped }),
      { passed: 0, failed: 0, skipped: 0 },
    )

export const lineOf = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

const main = (folder: string): void => {
  const reports: Report[] = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const totals = addUp(reports)
  console.log(lineOf(totals))
  if (totals.failed > 0 || totals.passed === 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv[2] ?? '.')
