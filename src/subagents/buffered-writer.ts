import type { Ran, Session } from '../adapters/session.ts'
import { MergelawError } from '../errors/index.ts'
import type { Recorded } from './outcome.ts'
import type { Writer } from './writer.ts'

export interface BufferOptions {
  /** Frames that are written together. Default 500. */
  readonly maxFrames?: number
  /** The longest a frame waits before it is written, in milliseconds. Default 1000. */
  readonly maxWait?: number
  /** Frames that may wait or be on their way at once, on an asynchronous session. Default ten times `maxFrames`. */
  readonly capacity?: number
}

/** A writer that gathers frames and writes them together. */
export interface BufferedWriter<S extends Session> {
  /**
   * Takes one frame. On a synchronous session it is in the buffer when this returns, and a full buffer is written before. On an
   * asynchronous one the promise resolves when there was room for it: await it, and the producer goes no faster than the database.
   *
   * Taken is not stored: until the next flush the frame is in memory only. Throws or rejects with `usage` after `close`, and then only.
   */
  record(frame: unknown): Ran<S, void>
  /** Writes whatever was taken before, and answers when it is done. What became of the frames is in the writer's counters and log. */
  flush(): Ran<S, void>
  /** Writes what is left and takes no more. Calling it again waits for the same end. */
  close(): Ran<S, void>
  /** Frames taken and not written yet. */
  pending(): number
}

/**
 * Puts a buffer before a writer: `recordAll` after `maxFrames` frames or `maxWait` milliseconds, whichever comes first.
 *
 * Use it where frames arrive one by one and need not be stored at once. Nothing that was taken is lost by `close`; what is in the
 * buffer when the process ends without it is: at most `maxFrames` frames or `maxWait` milliseconds of them, and on an asynchronous
 * session what is on its way (`capacity`). The timer does not keep the process alive: call `close` before it ends.
 * Counters and warnings are the writer's own.
 */
export const createBufferedWriter = <S extends Session>(
  session: S,
  writer: Pick<Writer<S>, 'recordAll'>,
  options: BufferOptions = {},
): BufferedWriter<S> => {
  const { maxFrames = 500, maxWait = 1_000 } = options
  const { capacity = 10 * maxFrames } = options
  for (const [name, value] of Object.entries({ maxFrames, maxWait, capacity })) requireWhole(name, value)
  const limits = { maxFrames, maxWait, capacity: Math.max(capacity, maxFrames) }
  // The two are BufferedWriter of their own mode; the compiler cannot follow the mode into a conditional type.
  return session.mode === 'sync'
    ? (newSyncBuffer(writer.recordAll as Write<readonly Recorded[]>, limits) as unknown as BufferedWriter<S>)
    : (newAsyncBuffer(writer.recordAll as Write<Promise<readonly Recorded[]>>, limits) as unknown as BufferedWriter<S>)
}

type Limits = Required<BufferOptions>
type Write<T> = (frames: readonly unknown[]) => T

const requireWhole = (name: string, value: number): void => {
  if (Number.isSafeInteger(value) && value > 0) return
  throw new MergelawError('usage', `createBufferedWriter: ${name} is ${value}; give a whole number above 0.`, { details: { [name]: value } })
}

const closed = (): MergelawError =>
  new MergelawError('usage', 'This buffered writer is closed and takes no more frames. Make a new one.')

/** Calls `act` once, `maxWait` milliseconds after the first `start` since the last `stop`. */
const newAlarm = (maxWait: number, act: () => void) => {
  let timer: NodeJS.Timeout | undefined
  return {
    start: (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        act()
      }, maxWait).unref()
    },
    stop: (): void => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

const newSyncBuffer = (recordAll: Write<unknown>, { maxFrames, maxWait }: Limits): BufferedWriter<Extract<Session, { mode: 'sync' }>> => {
  let waiting: unknown[] = []
  let isClosed = false
  const flush = (): void => {
    alarm.stop()
    const frames = waiting
    waiting = []
    if (frames.length > 0) recordAll(frames)
  }
  const alarm = newAlarm(maxWait, flush)
  return {
    record: (frame) => {
      if (isClosed) throw closed()
      waiting.push(frame)
      if (waiting.length >= maxFrames) flush()
      else alarm.start()
    },
    flush,
    close: () => {
      isClosed = true
      flush()
    },
    pending: () => waiting.length,
  }
}

const newAsyncBuffer = (
  recordAll: Write<Promise<unknown>>,
  { maxFrames, maxWait, capacity }: Limits,
): BufferedWriter<Extract<Session, { mode: 'async' }>> => {
  let waiting: unknown[] = []
  let underway = 0
  let isClosed = false
  /** One batch at a time, in order: a later frame must never be stored before an earlier one of its row. */
  let last: Promise<unknown> = Promise.resolve()
  const write = (): void => {
    alarm.stop()
    const frames = waiting
    waiting = []
    if (frames.length === 0) return
    underway += frames.length
    last = last
      .then(() => recordAll(frames))
      .finally(() => {
        underway -= frames.length
      })
  }
  const alarm = newAlarm(maxWait, write)
  const pending = (): number => waiting.length + underway
  const flush = async (): Promise<void> => {
    write()
    await last
  }
  /** Producers wait in the order they came. */
  let turn: Promise<unknown> = Promise.resolve()
  const take = async (frame: unknown): Promise<void> => {
    while (pending() >= capacity) await (underway > 0 ? last : flush())
    waiting.push(frame)
    if (waiting.length >= maxFrames) write()
    else alarm.start()
  }
  return {
    record: async (frame) => {
      if (isClosed) throw closed()
      const mine = turn.then(() => take(frame))
      turn = mine
      await mine
    },
    flush: async () => {
      await turn
      await flush()
    },
    close: async () => {
      isClosed = true
      // Those who were let in before still have their turn.
      await turn
      await flush()
    },
    pending,
  }
}
