import { readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { MergelawError } from '../errors/index.ts'
import { messageOf } from '../util/message-of.ts'

/** One line of an input, without its line break. */
export interface Line {
  /** From 1, as editors count. */
  readonly number: number
  /** Undefined where the line is longer than `MAX_LINE_BYTES`. */
  readonly bytes: Buffer | undefined
  /** Where in `bytes` the line begins and ends: most lines lie in the chunk they arrived in, and are read only when they are asked for. */
  readonly from: number
  readonly to: number
}

/** The text of a line; undefined where it is too long. Ill-formed UTF-8 becomes U+FFFD. */
export const textOf = ({ bytes, from, to }: Line): string | undefined => bytes?.toString('utf8', from, to)

/**
 * Longer lines are not read into memory: no frame comes near, and one line must not end the process. As JSON a line may need 80 times
 * its length (numbers that keep their digits), and Node's heap may be as small as 2 GB.
 */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

/** How every verb describes the lines it reads. */
export const A_LINE = 'one JSON object a line, at most 16 MiB each; - is stdin'

/** An input that could be opened. */
export interface Input {
  /** For messages: the path as given, or `stdin`. */
  readonly name: string
  /** The lines that hold anything, as they arrive: memory stays flat however long the input is. */
  readonly lines: () => AsyncGenerator<readonly Line[]>
  /** No line is needed any more, but for those of the last array that `lines` gave: their memory is used again. */
  readonly release: () => void
  /** Bytes in all; undefined where that is not known: stdin, or a file that is no plain one. */
  readonly size: number | undefined
  /** Bytes read so far. */
  readonly taken: () => number
  /** True when there is nothing to read at this moment, as between two lines of a slow pipe. Never for a file. */
  readonly isIdle: () => Promise<boolean>
}

/** Opens FILE, or stdin for `-`. Throws `usage` naming the file when it cannot be read. */
export const openInput = async (path: string): Promise<Input> => {
  if (path === '-') return inputOf('stdin', process.stdin, undefined)
  const { file, size } = await openFile(path)
  return inputOf(path, size === undefined ? file.createReadStream() : readerOf(file), size)
}

/** Buffers of bytes: a stream's, or those of a plain file. */
type Chunks = AsyncIterable<Buffer> & { readonly readableLength?: number; readonly release?: () => void }

const CHUNK_BYTES = 256 * 1024

/**
 * A plain file is there to be read: asking for a chunk and waiting for it takes ten times as long as the reading. Lines stay in the
 * chunk they lie in, and its memory is used again once they are released.
 */
const readerOf = (file: FileHandle): Chunks => {
  const free: Buffer[] = []
  let taken: Buffer[] = []
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const buffer = free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
        taken.push(buffer)
        const length = readSync(file.fd, buffer)
        if (length === 0) return
        yield buffer.subarray(0, length)
      }
    } finally {
      await file.close()
    }
  }
  return {
    [Symbol.asyncIterator]: chunks,
    release: () => {
      // Lines of the last chunk may still be waiting.
      free.push(...taken.slice(0, -1))
      taken = taken.slice(-1)
    },
  }
}

const inputOf = (name: string, stream: Chunks, size: number | undefined): Input => {
  let taken = 0
  const onBytes = (bytes: number): void => {
    taken += bytes
  }
  const isIdle = async (): Promise<boolean> => {
    if (size !== undefined) return false
    // What has arrived since is taken in before the question is answered.
    await setImmediate()
    return stream.readableLength === 0
  }
  return {
    name,
    size,
    taken: () => taken,
    isIdle,
    lines: () => linesOf(name, stream, onBytes),
    release: () => stream.release?.(),
  }
}

const openFile = async (path: string): Promise<{ readonly file: FileHandle; readonly size: number | undefined }> => {
  try {
    const file = await open(path)
    const stats = await file.stat()
    if (!stats.isDirectory()) return { file, size: stats.isFile() ? stats.size : undefined }
    await file.close()
  } catch (cause) {
    throw unreadable(path, messageOf(cause), cause)
  }
  throw unreadable(path, 'it is a directory')
}

const unreadable = (name: string, reason: string, cause?: unknown): MergelawError =>
  new MergelawError('usage', `could not read ${name}: ${reason}`, { cause })

const LINE_FEED = 10

/**
 * Splits bytes at line feeds, one batch per chunk. A carriage return before it, and a byte order mark at the start, are dropped.
 *
 * Not `readline`: that also splits at U+2028, which may stand in a JSON text.
 */
async function* linesOf(name: string, stream: Chunks, onBytes: (bytes: number) => void): AsyncGenerator<readonly Line[]> {
  const splitter = newSplitter()
  try {
    // A stream without encoding gives buffers.
    for await (const bytes of stream) {
      onBytes(bytes.length)
      yield splitter.push(bytes)
    }
  } catch (cause) {
    throw unreadable(name, messageOf(cause), cause)
  }
  yield splitter.end()
}

interface Splitter {
  push(chunk: Buffer): readonly Line[]
  end(): readonly Line[]
}

const newSplitter = (): Splitter => {
  let number = 0
  // The beginning of a line whose end has not arrived; dropped, and only counted, once the line is too long.
  let pending: Buffer[] = []
  let size = 0
  const keep = (part: Buffer): void => {
    size += part.length
    if (size <= MAX_LINE_BYTES) pending.push(Buffer.from(part))
    else pending = []
  }
  const take = (chunk: Buffer, from: number, to: number): Line => {
    number++
    if (size === 0 && to - from <= MAX_LINE_BYTES) return lineOf(number, chunk, from, to)
    if (to > from) keep(chunk.subarray(from, to))
    const whole = Buffer.concat(pending)
    const line = size > MAX_LINE_BYTES ? { number, bytes: undefined, from: 0, to: 0 } : lineOf(number, whole, 0, whole.length)
    pending = []
    size = 0
    return line
  }
  return {
    push: (chunk) => {
      const lines: Line[] = []
      let from = 0
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        lines.push(take(chunk, from, at))
        from = at + 1
      }
      if (from < chunk.length) keep(chunk.subarray(from))
      return lines.filter(isFilled)
    },
    end: () => (size === 0 ? [] : [take(NOTHING, 0, 0)].filter(isFilled)),
  }
}

const NOTHING = Buffer.alloc(0)
const CARRIAGE_RETURN = 13
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Leaves out a byte order mark at the start of the input, and a carriage return before the line feed. */
const lineOf = (number: number, bytes: Buffer, from: number, to: number): Line => {
  const hasMark = number === 1 && bytes.subarray(from, from + BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  const start = hasMark ? from + BYTE_ORDER_MARK.length : from
  return { number, bytes, from: start, to: to > start && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to }
}

const BLANK: ReadonlySet<number | undefined> = new Set([9, 13, 32])

const isFilled = ({ bytes, from, to }: Line): boolean => {
  if (bytes === undefined) return true
  for (let at = from; at < to; at++) if (!BLANK.has(bytes[at])) return true
  return false
}
