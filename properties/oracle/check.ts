/** Runs a property; when it fails, its story, the seed that repeats it and the JSON that keeps it are one message. */
import fc from 'fast-check'
import { runs } from '../../test/support/seed.ts'
import { toJson } from './json.ts'

/** A test's time limit in milliseconds: what it may take as it stands, and in proportion when `--runs` asks for more. */
export const patience = (seconds: number, numRuns: number): number => seconds * 1_000 * Math.max(1, runs(numRuns) / numRuns)

/** The property as it stands, on what was found once first, then as often as it asks unless `--runs` says otherwise. */
export const assertHolds = async <T>(
  property: fc.IAsyncProperty<[T]> | fc.IProperty<[T]>,
  numRuns: number,
  regressions: readonly T[] = [],
): Promise<void> => {
  const examples = regressions.map((given): [T] => [given])
  const details = await fc.check(property, { numRuns: runs(numRuns) + examples.length, examples })
  if (details.failed) throw new Error(report(details))
}

/** What is printed for a property that failed. */
const report = <T>(details: fc.RunDetails<[T]>): string => {
  const { errorInstance, seed, counterexamplePath, numRuns, numShrinks, counterexample } = details
  const story = errorInstance instanceof Error ? errorInstance.message : 'The property returned false.'
  return [
    story,
    `Seed ${seed}, path ${counterexamplePath}: failed at run ${numRuns}, shrunk ${numShrinks} times. Repeat it with MERGELAW_SEED=${seed}.`,
    'To keep this case, add it to properties/regressions/, named after what it guards:',
    toJson(counterexample?.[0], 2),
  ].join('\n')
}

/** How many runs a fixed seed needs to find a planted fault; undefined when it does not. Shrinks only where the story matters. */
export const runsToFind = async <T>(
  property: fc.IAsyncProperty<[T]> | fc.IProperty<[T]>,
  limits: { readonly seed: number; readonly numRuns: number; readonly shrink?: boolean },
): Promise<{ readonly found: number | undefined; readonly report: string }> => {
  const { shrink = false, ...parameters } = limits
  const details = await fc.check(property, { ...parameters, endOnFailure: !shrink })
  return { found: details.failed ? details.numRuns : undefined, report: details.failed ? report(details) : '' }
}
