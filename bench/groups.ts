/** Every case: what is measured, against what, and the ratio to reach. */
import type { Side } from './measure.ts'
import * as cli from './sides/cli.ts'
import * as messages from './sides/messages.ts'
import * as postgres from './sides/postgres.ts'
import * as sqlite from './sides/sqlite.ts'

export interface Case {
  readonly name: string
  readonly ours: string
  readonly theirs: string
  /**
   * `faster`: how many times faster ours is than theirs, at least `floor`. `times`: how many times theirs ours takes, at most `floor`.
   * `shown`: printed, and not judged.
   */
  readonly kind: 'faster' | 'times' | 'shown'
  readonly floor: number
}

/** Sides that are measured together, interleaved, and the cases that compare them. */
export interface Group {
  readonly needs: 'sqlite' | 'postgres'
  readonly unit: string
  readonly sides: Readonly<Record<string, Side>>
  readonly cases: readonly Case[]
  /** Run once before the first trial. */
  readonly before?: Side
}

const faster = (name: string, ours: string, theirs: string, floor: number): Case => ({
  name,
  ours,
  theirs,
  kind: 'faster',
  floor,
})
const times = (name: string, ours: string, theirs: string, floor: number): Case => ({ name, ours, theirs, kind: 'times', floor })
const shown = (name: string, ours: string, theirs: string): Case => ({ name, ours, theirs, kind: 'shown', floor: 0 })

const MANY = 200_000
const FEW = 20_000
/** Messages in a window of health: one per cent of the history. */
const WINDOW = MANY / 100

const onMessages = (dialect: messages.Dialect): readonly (readonly [string, Group])[] => [
  [
    `${dialect} backfill`,
    {
      needs: dialect,
      unit: 's',
      before: messages.fill(dialect, MANY),
      sides: {
        backfill: messages.backfill(dialect, MANY),
        scan: messages.scan(dialect, MANY),
        ...(dialect === 'postgres' ? { naive: messages.naiveBackfill(MANY) } : {}),
      },
      cases: [
        times(`${dialect} backfill, 200,000 messages: one scan with LIKE`, 'backfill', 'scan', 3),
        ...(dialect === 'postgres' ? [faster('postgres backfill, 200,000 messages: naive casts', 'backfill', 'naive', 1.8)] : []),
      ],
    },
  ],
  [
    `${dialect} backfill growth`,
    {
      needs: dialect,
      unit: 's',
      before: messages.fill(dialect, FEW),
      sides: { 'ten times': messages.backfill(dialect, MANY), once: messages.backfill(dialect, FEW) },
      cases: [times(`${dialect} backfill, 10 times the messages: itself`, 'ten times', 'once', 11)],
    },
  ],
  [
    `${dialect} health`,
    {
      needs: dialect,
      unit: 's',
      sides: {
        window: messages.healthOver(dialect, MANY, WINDOW),
        all: messages.healthOver(dialect, MANY, MANY),
        'short history': messages.healthOver(dialect, FEW, WINDOW),
      },
      cases: [
        faster(`${dialect} health, a window of 1 %: all of the history`, 'window', 'all', 20),
        times(`${dialect} health, a history 10 times longer: itself`, 'window', 'short history', 1.3),
      ],
    },
  ],
]

export const GROUPS: Readonly<Record<string, Group>> = {
  'sqlite record': {
    needs: 'sqlite',
    unit: 'frames/s',
    sides: {
      ours: sqlite.recordOurs,
      'by hand': sqlite.recordByHand,
      Kysely: sqlite.recordKysely,
      Drizzle: sqlite.recordDrizzle,
      Knex: sqlite.recordKnex,
    },
    cases: [
      faster('sqlite record: by hand', 'ours', 'by hand', 0.85),
      faster('sqlite record: Kysely', 'ours', 'Kysely', 3),
      faster('sqlite record: Drizzle', 'ours', 'Drizzle', 3),
      faster('sqlite record: Knex', 'ours', 'Knex', 3),
    ],
  },
  'sqlite recordAll': {
    needs: 'sqlite',
    unit: 'frames/s',
    sides: {
      ours: sqlite.recordAllOurs(60_000),
      'by hand': sqlite.recordAllByHand(60_000),
      floor: sqlite.recordAllFloor(60_000),
      Kysely: sqlite.recordAllKysely(6_000),
    },
    cases: [
      faster('sqlite recordAll: by hand', 'ours', 'by hand', 2),
      faster('sqlite recordAll: the folded rows', 'ours', 'floor', 0.62),
      faster('sqlite recordAll: Kysely', 'ours', 'Kysely', 30),
    ],
  },
  'sqlite recordAll, 3 and 12 a row': {
    needs: 'sqlite',
    unit: 'frames/s',
    sides: {
      'ours, 3': sqlite.recordAllOurs(60_000, 3),
      'by hand, 3': sqlite.recordAllByHand(60_000, 3),
      'ours, 12': sqlite.recordAllOurs(60_000, 12),
      'by hand, 12': sqlite.recordAllByHand(60_000, 12),
    },
    cases: [
      shown('sqlite recordAll, 3 frames a row: by hand', 'ours, 3', 'by hand, 3'),
      shown('sqlite recordAll, 12 frames a row: by hand', 'ours, 12', 'by hand, 12'),
    ],
  },
  'sqlite recordAll growth': {
    needs: 'sqlite',
    unit: 's',
    sides: { 'ten times': sqlite.whole(sqlite.recordAllOurs(60_000)), once: sqlite.whole(sqlite.recordAllOurs(6_000)) },
    cases: [times('sqlite recordAll, 10 times the frames: itself', 'ten times', 'once', 11)],
  },
  'postgres record': {
    needs: 'postgres',
    unit: 'frames/s',
    sides: { ours: postgres.recordOurs, 'by hand': postgres.recordByHand },
    cases: [faster('postgres record: by hand', 'ours', 'by hand', 0.85)],
  },
  'postgres recordAll': {
    needs: 'postgres',
    unit: 'frames/s',
    sides: {
      ours: postgres.recordAllOurs(24_000),
      'by hand': postgres.recordAllByHand(6_000),
      COPY: postgres.recordAllCopy(24_000),
    },
    cases: [
      faster('postgres recordAll: by hand', 'ours', 'by hand', 25),
      faster('postgres recordAll: COPY and upsert', 'ours', 'COPY', 0.9),
    ],
  },
  'postgres recordAll growth': {
    needs: 'postgres',
    unit: 's',
    sides: { 'ten times': sqlite.whole(postgres.recordAllOurs(24_000)), once: sqlite.whole(postgres.recordAllOurs(2_400)) },
    cases: [times('postgres recordAll, 10 times the frames: itself', 'ten times', 'once', 11)],
  },
  'mergelaw record': {
    needs: 'sqlite',
    unit: 'frames/s',
    sides: { ours: cli.recordFile(60_000), script: cli.scriptFile(60_000) },
    cases: [faster('mergelaw record, 60,000 lines: a script', 'ours', 'script', 1.2)],
  },
  'mergelaw record memory': {
    needs: 'sqlite',
    unit: 'KB',
    sides: { 'ten times': cli.recordMemory(600_000), once: cli.recordMemory(60_000) },
    cases: [times('mergelaw record, memory on a file 10 times larger: itself', 'ten times', 'once', 1.2)],
  },
  reducer: {
    needs: 'sqlite',
    unit: 'frames/s',
    sides: { ours: sqlite.reducerOurs, 'by hand': sqlite.reducerByHand },
    cases: [faster('reducer in memory: by hand', 'ours', 'by hand', 0.7)],
  },
  ...Object.fromEntries([...onMessages('sqlite'), ...onMessages('postgres')]),
  '--version': {
    needs: 'sqlite',
    unit: 's',
    sides: { ours: cli.version, nothing: cli.nothing },
    cases: [times('mergelaw --version: node -e 0', 'ours', 'nothing', 3)],
  },
}
