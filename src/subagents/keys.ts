import { isLeft } from 'fp-ts/lib/Either.js'
import { Temporal } from 'temporal-polyfill'
import type { Program } from '../adapters/program.ts'
import type { Dialect } from '../adapters/session.ts'
import { tableOf } from '../engine/index.ts'
import { MergelawError } from '../errors/index.ts'
import { compileNormalise, defineContract, key, writeOnce } from '../rules/index.ts'
import { type Instant, readInstant, toInstant } from '../util/instant.ts'

/** The host's `kandev_meta`. A key, once present, is never rewritten (AC-24 point 5): that is what `writeOnce` says. */
export const hostMeta = defineContract({
  table: 'kandev_meta',
  key: ['key'],
  columns: {
    key: { type: 'text', rule: key() },
    // '' is a value here: the sentinel of AC-24f.
    value: { type: 'text', absent: [], rule: writeOnce() },
  },
})

/** The three activation keys in `kandev_meta` (AC-24). */
export const KEY_NAMES = {
  captureSince: 'subagent_context_capture_since',
  backfillThrough: 'subagent_context_backfill_through',
  executionSince: 'subagent_context_execution_since',
} as const
export type KeyName = keyof typeof KEY_NAMES

/** The keys as stored, byte for byte; undefined where one is absent. `backfillThrough` may be `''`, which is no instant (AC-24f). */
export type Keys = Readonly<Record<KeyName, string | undefined>>

/** Reads the three keys as they stand. Throws `missing-table` where the host has no `kandev_meta`. SQL: `SELECT … WHERE key = …`. */
export const readKeys = (dialect: Dialect): (() => Program<Keys>) => {
  const table = tableOf(hostMeta, dialect)
  function* one(name: KeyName): Program<string | undefined> {
    const [row] = yield* table.list({ where: { key: KEY_NAMES[name] } })
    const value = row?.[1]
    return typeof value === 'string' ? value : undefined
  }
  return function* () {
    const captureSince = yield* one('captureSince')
    const backfillThrough = yield* one('backfillThrough')
    const executionSince = yield* one('executionSince')
    return { captureSince, backfillThrough, executionSince }
  }
}

const normalise = compileNormalise(hostMeta)

/** Writes a key that is absent and leaves one that is present alone. SQL: `INSERT … ON CONFLICT (key) DO NOTHING`. */
export const insertKey = (dialect: Dialect): ((name: KeyName, value: string) => Program<void>) => {
  const table = tableOf(hostMeta, dialect)
  return function* (name, value) {
    const row = normalise({ key: KEY_NAMES[name], value })
    if (isLeft(row)) throw new MergelawError('row', row.left.map(({ message }) => message).join('; '))
    yield* table.upsert(row.right.tuple)
  }
}

/** An instant as a key holds it: RFC 3339 with nine digits (AC-24 point 3). Throws `row` for what is no canonical instant. */
export const keyTextOf = (instant: Instant): string => {
  if (toInstant(instant) === instant) return `${instant.slice(0, -1)}000Z`
  throw new MergelawError(
    'row',
    `The clock told ${JSON.stringify(instant)}; it must tell UTC with six digits, as in "2026-08-03T15:32:20.123456Z".`,
    {
      details: { value: instant },
    },
  )
}

/**
 * The instant that a key stands for, rounded up to the next microsecond, so that `column >= instant` is exactly `column >= key` (AC-24e).
 *
 * Undefined for `''` and for what is no instant; a key without zone is UTC. Never write the answer back: a key is read, not repaired.
 */
export const keyInstantOf = (stored: string): Instant | undefined => {
  const instant = toInstant(stored)
  if (instant === undefined) return undefined
  const finer = readInstant(stored)?.fraction.slice(6) ?? ''
  return /[1-9]/.test(finer) ? nextMicrosecond(instant) : instant
}

const nextMicrosecond = (instant: Instant): Instant | undefined =>
  toInstant(Temporal.Instant.from(instant).add({ microseconds: 1 }).toString({ smallestUnit: 'microsecond' }))
