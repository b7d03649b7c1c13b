import { expect, it } from 'vitest'
import { systemClock } from '../../src/subagents/index.ts'

/** A wall clock of whole milliseconds and a finer timer, both driven by hand (milliseconds). */
const byHand = () => {
  const time = { wall: Date.UTC(2026, 7, 3, 15, 32, 20), timer: 5_000.25 }
  const clock = systemClock(
    () => Math.floor(time.wall),
    () => time.timer,
    time.wall - time.timer,
  )
  const pass = (milliseconds: number): string => {
    time.wall += milliseconds
    time.timer += milliseconds
    return clock.now()
  }
  return { time, clock, pass }
}

it('clock: an instant has six digits, and microseconds pass between two frames of one millisecond', () => {
  const { clock, pass } = byHand()
  expect(clock.now()).toBe('2026-08-03T15:32:20.000000Z')
  expect(pass(0.007)).toBe('2026-08-03T15:32:20.000007Z')
  expect(pass(1.5)).toBe('2026-08-03T15:32:20.001507Z')
})

it('clock: no instant is told twice, and none before an earlier one', () => {
  const { pass } = byHand()
  const told = Array.from({ length: 50 }, (_, at) => pass(at % 3 === 0 ? 0 : 0.0004))
  expect([...new Set(told)].sort()).toEqual(told)
})

it('clock: a wall clock that was set, forwards or back, is followed', () => {
  const { time, clock, pass } = byHand()
  pass(1)
  time.wall += 3_600_000
  expect(clock.now()).toBe('2026-08-03T16:32:20.001999Z')
  time.wall -= 7_200_000
  expect(clock.now()).toBe('2026-08-03T14:32:20.001999Z')
})

// Catches: an anchor at the millisecond that Date.now cut off, which tells instants that are already past.
it('AC-24: an instant is never before the wall clock, which cuts off what it has not finished', () => {
  const { time, clock } = byHand()
  time.wall += 3_600_000.9
  time.timer += 0.9
  expect(clock.now() >= '2026-08-03T16:32:20.000900Z').toBe(true)
})

it('clock: the real one agrees with Date', () => {
  const clock = systemClock()
  // The smallest of many differences: a busy machine may pause between the two reads.
  const apart = Array.from({ length: 100 }, () => Math.abs(Date.parse(clock.now()) - Date.now()))
  expect(Math.min(...apart)).toBeLessThan(10)
})
