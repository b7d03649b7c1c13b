import { MergelawError } from '../errors/index.ts'
import type { Instant } from '../util/instant.ts'
import { messageOf } from '../util/message-of.ts'
import { settled } from '../util/settled.ts'

/** Tells the present instant: UTC text with microseconds, `2026-08-03T15:32:20.123456Z`. */
export interface Clock {
  now(): Instant
}

/** How far the counted time may leave the wall clock before it is set again: the wall clock's own grain, and some. */
const MAX_DRIFT_US = 2_000

/** A backward step longer than this is a wall clock that was set, and is followed. */
const MAX_REPEAT_US = 1_000_000

/** The wall clock tells whole milliseconds, cut off: the present is up to this much later. */
const GRAIN_US = 999

/**
 * The system's clock with microseconds: the process's start (`performance.timeOrigin`) and its monotonic timer, both finer than that.
 *
 * Never early: an instant sampled after a statement must not lie before its end (AC-24 point 4), and too late only disclaims.
 * It follows the wall clock (`Date.now`) when that is set, and otherwise never tells one instant twice, so that frames observed one
 * after the other also sort so. The sources are parameters for tests, in milliseconds: since 1970; since any moment; that moment.
 */
export const systemClock = (
  wall: () => number = Date.now,
  timer: () => number = () => performance.now(),
  origin: number = performance.timeOrigin,
): Clock => {
  let anchor = origin * 1_000
  let last = Number.NEGATIVE_INFINITY
  return {
    now: () => {
      const wallUs = wall() * 1_000
      const timerUs = timer() * 1_000
      if (Math.abs(anchor + timerUs - wallUs) > MAX_DRIFT_US) anchor = wallUs + GRAIN_US - timerUs
      const counted = Math.floor(anchor + timerUs)
      last = counted <= last && last - counted < MAX_REPEAT_US ? last + 1 : counted
      return instantOf(last)
    },
  }
}

/** Microseconds since 1970 stay below 2^53 until the year 2255. */
const instantOf = (microseconds: number): Instant => {
  const milliseconds = Math.floor(microseconds / 1_000)
  const rest = String(microseconds - milliseconds * 1_000).padStart(3, '0')
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`
}

/** A caller's clock, held to its word: one that answers a promise is an error here, and its rejection ends no process. */
export const heldToText = (clock: Clock): Clock => ({
  now: () => {
    const told: unknown = clock.now()
    if (typeof told === 'string') return told
    void settled(told)
    throw new MergelawError('usage', 'The clock told no text; now() answers an instant like "2026-08-03T15:32:20.123456Z".')
  },
})

/** The same for a program: what the clock throws is the failure of the step that asked, and nobody else's. */
export const softClock = (clock: Clock): Clock => {
  const held = heldToText(clock)
  return {
    now: () => {
      try {
        return held.now()
      } catch (cause) {
        if (cause instanceof MergelawError) throw cause
        throw new MergelawError('usage', `The clock failed: ${messageOf(cause)}`, { cause })
      }
    },
  }
}
