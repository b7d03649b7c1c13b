import type { Instant } from '../util/instant.ts'

/** Tells the present instant: UTC text with microseconds, `2026-08-03T15:32:20.123456Z`. */
export interface Clock {
  now(): Instant
}

/** How far the counted time may leave the wall clock before it is set again: the wall clock's own grain, and some. */
const MAX_DRIFT_US = 2_000

/** A backward step longer than this is a wall clock that was set, and is followed. */
const MAX_REPEAT_US = 1_000_000

/**
 * The system's clock with microseconds: wall time (`Date.now`, whole milliseconds), refined by the process's monotonic timer.
 *
 * It follows the wall clock when that is set, and otherwise never tells one instant twice, so that frames observed one after the
 * other also sort so. The two sources are parameters for tests: milliseconds since 1970, and milliseconds since any moment.
 */
export const systemClock = (wall: () => number = Date.now, timer: () => number = () => performance.now()): Clock => {
  let anchor = Number.NEGATIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  return {
    now: () => {
      const wallUs = wall() * 1_000
      const timerUs = timer() * 1_000
      if (!(Math.abs(anchor + timerUs - wallUs) <= MAX_DRIFT_US)) anchor = wallUs - timerUs
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
