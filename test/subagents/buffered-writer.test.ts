/** The buffer before a writer: when it writes, what it promises, and what it refuses. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AsyncSession, SyncSession } from '../../src/adapters/session.ts'
import { createBufferedWriter, type Frames, type Recorded } from '../../src/subagents/index.ts'

const SYNC = { dialect: 'sqlite', mode: 'sync' } as SyncSession // its run is the writer's business
const ASYNC = { dialect: 'postgres', mode: 'async' } as AsyncSession

const OPTIONS = { maxFrames: 3, maxWait: 100 }

const syncBuffer = (options: object = OPTIONS) => {
  const written: unknown[][] = []
  const recordAll = (frames: Frames): readonly Recorded[] => {
    written.push(Array.from({ length: frames.length }, (_, at) => frames.at(at)))
    return []
  }
  return { written, buffer: createBufferedWriter(SYNC, { recordAll }, options) }
}

/** A database that answers when it is told to. */
const asyncBuffer = (options: object = OPTIONS) => {
  const written: unknown[][] = []
  const answers: (() => void)[] = []
  const recordAll = (frames: Frames): Promise<readonly Recorded[]> => {
    written.push(Array.from({ length: frames.length }, (_, at) => frames.at(at)))
    return new Promise((resolve) => answers.push(() => resolve([])))
  }
  return { written, answers, buffer: createBufferedWriter(ASYNC, { recordAll }, options) }
}

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false
  const note = (): void => void (done = true)
  promise.then(note, note)
  await vi.advanceTimersByTimeAsync(0)
  return done
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('buffered writer, on a synchronous session', () => {
  it('batches: writes after so many frames, in order', () => {
    const { written, buffer } = syncBuffer()
    for (const frame of [1, 2, 3, 4]) buffer.record(frame)
    expect(written).toEqual([[1, 2, 3]])
    expect(buffer.pending()).toBe(1)
  })

  it('batches: writes after so long, counted from the first frame, and again for the next', () => {
    const { written, buffer } = syncBuffer()
    buffer.record(1)
    vi.advanceTimersByTime(60)
    buffer.record(2)
    vi.advanceTimersByTime(39)
    expect(written).toEqual([])
    vi.advanceTimersByTime(1)
    expect(written).toEqual([[1, 2]])
    buffer.record(3)
    vi.advanceTimersByTime(100)
    expect(written).toEqual([[1, 2], [3]])
  })

  it('batches: a flush by count takes the timer with it', () => {
    const { written, buffer } = syncBuffer()
    buffer.record(1)
    vi.advanceTimersByTime(90)
    for (const frame of [2, 3, 4]) buffer.record(frame)
    vi.advanceTimersByTime(20)
    expect(written).toEqual([[1, 2, 3]])
    vi.advanceTimersByTime(80)
    expect(written).toEqual([[1, 2, 3], [4]])
  })

  it('batches: close writes what was taken, then refuses, and may be called again', () => {
    const { written, buffer } = syncBuffer()
    buffer.record(1)
    buffer.close()
    buffer.close()
    expect(written).toEqual([[1]])
    expect(() => buffer.record(2)).toThrow(/closed and takes no more frames/)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('batches: an empty buffer writes nothing', () => {
    const { written, buffer } = syncBuffer()
    buffer.flush()
    buffer.close()
    expect(written).toEqual([])
  })

  it.each([0, -1, 1.5, Number.NaN])('batches: maxFrames %s is refused by name', (maxFrames) => {
    expect(() => syncBuffer({ maxFrames })).toThrow(`maxFrames is ${maxFrames}`)
  })
})

describe('buffered writer, on an asynchronous session', () => {
  it('batches: one batch at a time, so that no later frame overtakes an earlier one', async () => {
    const { written, answers, buffer } = asyncBuffer()
    for (const frame of [1, 2, 3, 4, 5, 6]) await buffer.record(frame)
    await vi.advanceTimersByTimeAsync(0)
    expect(written).toEqual([[1, 2, 3]])
    answers.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(written).toEqual([[1, 2, 3], [4, 5, 6]])
  })

  it('batches: a full buffer makes producers wait until there is room', async () => {
    const { answers, buffer } = asyncBuffer({ ...OPTIONS, capacity: 6 })
    for (const frame of [1, 2, 3, 4, 5, 6]) await buffer.record(frame)
    const seventh = buffer.record(7)
    expect(await settled(seventh)).toBe(false)
    expect(buffer.pending()).toBe(6)
    answers.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
    answers.shift()?.()
    expect(await settled(seventh)).toBe(true)
    expect(buffer.pending()).toBeLessThanOrEqual(6)
  })

  it('batches: flush and close answer only when the database has', async () => {
    const { written, answers, buffer } = asyncBuffer()
    await buffer.record(1)
    const flushed = buffer.flush()
    expect(await settled(flushed)).toBe(false)
    answers.shift()?.()
    expect(await settled(flushed)).toBe(true)
    await buffer.record(2)
    const ended = buffer.close()
    await expect(buffer.record(3)).rejects.toMatchObject({ code: 'usage' })
    expect(await settled(ended)).toBe(false)
    answers.shift()?.()
    await ended
    expect(written).toEqual([[1], [2]])
    expect(buffer.pending()).toBe(0)
  })

  it('batches: close also writes the frames of producers that were waiting for room', async () => {
    const { written, answers, buffer } = asyncBuffer({ ...OPTIONS, capacity: 3 })
    const taken = [1, 2, 3, 4, 5].map((frame) => buffer.record(frame))
    const ended = buffer.close()
    while (!(await settled(ended))) answers.shift()?.()
    await Promise.all(taken)
    expect(written.flat()).toEqual([1, 2, 3, 4, 5])
  })

  it('batches: writes after so long', async () => {
    const { written, buffer } = asyncBuffer()
    await buffer.record(1)
    await vi.advanceTimersByTimeAsync(99)
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(written).toEqual([[1]])
  })
})
