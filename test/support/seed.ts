/** How random the properties of a run are: one seed for all of them, printed, and repeatable by name. */
type Environment = Readonly<Record<string, string | undefined>>

/** True on the machine that decides: there nothing may be random without being named, and nothing may be left out. */
export const isCi = (environment: Environment = process.env): boolean => environment['CI'] === 'true'

const integerOf = (name: string, text: string, least: number): number => {
  const value = Number(text)
  if (/^-?\d+$/.test(text) && value >= least && value <= 2 ** 31 - 1) return value
  throw new Error(`${name}=${text} is not an integer from ${least} to ${2 ** 31 - 1}`)
}

/** The seed of this run: MERGELAW_SEED, else a random one; in CI it must be given. */
export const seedOf = (environment: Environment = process.env, random: () => number = Math.random): number => {
  const given = environment['MERGELAW_SEED'] ?? ''
  if (given !== '') return integerOf('MERGELAW_SEED', given, -(2 ** 31))
  if (isCi(environment)) throw new Error('CI=true needs an explicit seed: set MERGELAW_SEED to an integer')
  return Math.floor(random() * 2 ** 31)
}

/**
 * How often a property runs: MERGELAW_RUNS (`npm run properties -- --runs N`) when set, else what the property asks for.
 *
 * Use it wherever a property sets `numRuns` itself: `fc.assert(property, { numRuns: runs(20) })`.
 */
export const runs = (wanted: number, environment: Environment = process.env): number => {
  const given = environment['MERGELAW_RUNS'] ?? ''
  return given === '' ? wanted : integerOf('MERGELAW_RUNS', given, 1)
}
