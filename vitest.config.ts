import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { prepareRun } from './test/support/prepare-run.ts'

/** `.ci/run` names a folder and adds up what the runs report there. */
const reportFolder = process.env['MERGELAW_REPORTS']

export default defineConfig({
  plugins: [prepareRun()],
  test: {
    include: ['test/**/*.test.ts', 'properties/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 30_000,
    reporters: reportFolder ? ['default', ['json', { outputFile: join(reportFolder, `${process.pid}.json`) }]] : ['default'],
  },
})
