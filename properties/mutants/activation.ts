/** Wrong activations, each a mistake somebody could make in good faith. The random installations must catch every one. */
import { type Answer, attempt, type Program, query, type Step, script } from '../../src/adapters/program.ts'
import type { Session } from '../../src/adapters/session.ts'
import { backfillSteps, type Clock, KEY_NAMES } from '../../src/subagents/index.ts'
import {
  activateBy,
  activationSteps,
  insertKey,
  keyTextOf,
  type StepDefinition,
} from '../../test/support/activation-internals.ts'
import { answering } from '../../test/support/stepping.ts'
import type { Play } from '../oracle/play-activation.ts'

export interface ActivationMutant {
  /** What is wrong, as the issue says it. */
  readonly name: string
  /** The criterion it breaks. */
  readonly breaks: string
  /** Made anew for every installation. */
  readonly play: () => Partial<Play>
}

type Steps = readonly StepDefinition[]
type Planted = (steps: Steps, dialect: Session['dialect'], clock: Clock) => Steps

const inSteps = (name: string, breaks: string, plant: Planted): ActivationMutant => ({
  name,
  breaks,
  play: () => ({
    activate: (session, options) =>
      activateBy(session, options, (dialect, clock) => plant(activationSteps(dialect, clock), dialect, clock)),
  }),
})

/** One step, changed. */
const changed = (
  steps: Steps,
  step: StepDefinition['step'],
  change: (definition: StepDefinition) => Partial<StepDefinition>,
): Steps => steps.map((definition) => (definition.step === step ? { ...definition, ...change(definition) } : definition))

const stepOf = (steps: Steps, step: StepDefinition['step']): StepDefinition => {
  const found = steps.find((definition) => definition.step === step)
  if (found === undefined) throw new Error(`there is no step ${step}`)
  return found
}

const SECOND_PRECISION = "length(value) = 20 AND key LIKE 'subagent_context_%'"

export const ACTIVATION_MUTANTS: readonly ActivationMutant[] = [
  inSteps('guard on capture_since alone', 'AC-24d', (steps) =>
    changed(steps, 'backfill', () => ({ isNeeded: ({ keys }) => keys?.captureSince === undefined })),
  ),
  inSteps('key written off a "rebuild fired" flag', 'AC-33b', (steps) => {
    let hasFired = false
    const noting = ({ change }: StepDefinition): Partial<StepDefinition> => ({
      change(state) {
        hasFired = true
        return change(state)
      },
    })
    const noted = changed(changed(steps, 'schema', noting), 'upgrade', noting)
    return changed(noted, 'execution_since', ({ isNeeded }) => ({ isNeeded: (state) => hasFired && isNeeded(state) }))
  }),
  inSteps('backfill before the upgrade', 'AC-33c', (steps) => {
    const { waitsFor: _, ...backfill } = stepOf(steps, 'backfill')
    const [schema, ...rest] = steps.filter(({ step }) => step !== 'backfill')
    return schema === undefined ? [] : [schema, backfill, ...rest]
  }),
  inSteps('sample at transaction start', 'AC-24 point 4', (steps, dialect, clock) =>
    changed(steps, 'backfill', () => ({
      *change(state) {
        const sampled = clock.now()
        return yield* stepOf(activationSteps(dialect, { now: () => sampled }), 'backfill').change(state)
      },
    })),
  ),
  inSteps('keys upgraded in precision', 'AC-24 point 5', (steps) => [
    ...steps,
    {
      ...stepOf(steps, 'backfill'),
      isNeeded: ({ keys }) => Object.values(keys ?? {}).some((value) => value?.length === 20),
      *change() {
        const finer = `UPDATE kandev_meta SET value = substr(value, 1, 19) || '.000000000Z' WHERE ${SECOND_PRECISION}`
        yield* script('raise the precision', finer)
        return undefined
      },
    },
  ]),
  inSteps('keys written after a failed backfill', 'AC-24a', (steps, dialect, clock) =>
    changed(steps, 'backfill', () => ({
      *change() {
        const done = yield* attempt(backfillSteps(dialect)())
        yield* insertKey(dialect)('captureSince', keyTextOf(clock.now()))
        yield* insertKey(dialect)('backfillThrough', done._tag === 'Right' ? done.right.through : '')
        return undefined
      },
    })),
  ),
  inSteps('each key in a transaction of its own', 'AC-24d', (steps, dialect, clock) => {
    const backfill = stepOf(steps, 'backfill')
    const first: StepDefinition = {
      ...backfill,
      isNeeded: ({ keys }) => keys?.captureSince === undefined,
      *change() {
        const done = yield* backfillSteps(dialect)()
        yield* insertKey(dialect)('captureSince', keyTextOf(clock.now()))
        return done
      },
    }
    return steps.flatMap((definition) => (definition.step === 'backfill' ? [first, definition] : [definition]))
  }),
  inSteps('backfill_through from the rows this attempt inserted', 'AC-24 point 1', (steps, dialect, clock) =>
    changed(steps, 'backfill', () => ({
      *change() {
        const done = yield* backfillSteps(dialect)()
        yield* insertKey(dialect)('captureSince', keyTextOf(clock.now()))
        yield* insertKey(dialect)('backfillThrough', done.inserted === 0 ? '' : done.through)
        return done
      },
    })),
  ),
  inSteps('execution_since whatever is observed', 'AC-33a', (steps) =>
    changed(steps, 'execution_since', () => ({ waitsFor: () => undefined })),
  ),
  inSteps("a former row's identity left empty", 'AC-33', (steps) =>
    changed(steps, 'upgrade', ({ change }) => ({
      *change(state) {
        yield* change(state)
        yield* script(
          'leave it empty',
          "UPDATE task_session_subagents SET agent_execution_id = '' WHERE agent_execution_id = 'unknown'",
        )
        return undefined
      },
    })),
  ),
  {
    name: 'a row before execution_since with a real id read as unknown',
    breaks: 'AC-25',
    play: () => ({ ask: (session) => answering(session, onlySince) }),
  },
]

/** Asks the population again, so that only rows since the key count as known. */
function* onlySince(step: Step): Program<Answer> {
  if (step.kind !== 'query' || step.name !== 'count rows' || step.params.length === 0) return yield step
  const rows = yield* query(step.name, step.sql, step.params, ([source, known, since, rows]) => [
    source,
    since === 0n ? 0n : known,
    since,
    rows,
  ])
  return { rows, changes: 0 }
}

/** PostgreSQL: nobody waits for anybody. */
export const withoutLock = (session: Session): Session =>
  answering(session, function* (step) {
    return step.name === 'take the activation lock' ? { rows: [], changes: 0 } : yield step
  })

/** PostgreSQL: the newest message is asked for again when its key is written, long after the candidates were staged. */
export const maxAfterInsert = (session: Session): Session =>
  answering(session, function* (step) {
    if (step.kind !== 'query' || step.params[0] !== KEY_NAMES.backfillThrough || step.params.length !== 2) return yield step
    const newest = `SELECT to_char(MAX(created_at), 'YYYY-MM-DD"T"HH24:MI:SS.US"000Z"') FROM task_session_messages`
    const [value] = yield* query('newest again', newest, [], ([at]) => String(at))
    return yield { ...step, params: [KEY_NAMES.backfillThrough, value ?? ''] }
  })
