/** Runs in every worker before a test file: gives fast-check the seed of this run. */
import fc from 'fast-check'
import { inject } from 'vitest'
import { runs } from './seed.ts'

const FAST_CHECK_DEFAULT_RUNS = 100

fc.configureGlobal({ seed: inject('seed'), numRuns: runs(FAST_CHECK_DEFAULT_RUNS) })
