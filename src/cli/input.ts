import { readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { MergelawError } from '../errors/index.ts'
import { messageOf } from '../util/message-of.ts'

/** One line of an input, without its line break. */
export interface Line {
  /** From 1, as editors count. */
  readonly number: number
  /** Undefined where the line is longer than `MAX_LINE_BYTES`. Ill-formed UTF-8 is U+FFFD. */
  readonly text: string | undefined
}

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
  return size === undefined ? inputOf(path, file.createReadStream(), undefined) : inputOf(path, chunksOf(file), size)
}

/** Texts of larger chunks are kept apart by V8, which costs more than the reading. */
const CHUNK_BYTES = 64 * 1024

/** A plain file is there to be read: asking for a chunk and waiting for it takes ten times as long. One buffer serves for all chunks. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  try {
    for (;;) {
      const length = readSync(file.fd, buffer)
      if (length === 0) return
      yield buffer.subarray(0, length)
    }
  } finally {
    await file.close()
  }
}

/** Buffers, each good until the next is asked for. */
type Chunks = AsyncIterable<Buffer> & { readonly readableLength?: number }

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
  return { name, size, taken: () => taken, isIdle, lines: () => linesOf(name, stream, onBytes) }
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
  const take = (): string | undefined => {
    const text = size > MAX_LINE_BYTES ? undefined : Buffer.concat(pending).toString('utf8')
    pending = []
    size = 0
    return text
  }
  const numbered = (texts: readonly (string | undefined)[]): readonly Line[] =>
    texts.map((text): Line => ({ number: ++number, text: text && lineOf(text, number) })).filter(isFilled)
  return {
    push: (chunk) => {
      const [first, last] = [chunk.indexOf(LINE_FEED), chunk.lastIndexOf(LINE_FEED)]
      keep(first < 0 ? chunk : chunk.subarray(0, first))
      if (first < 0) return []
      const texts = [take(), ...(first === last ? [] : chunk.toString('utf8', first + 1, last).split('\n'))]
      keep(chunk.subarray(last + 1))
      return numbered(texts)
    },
    end: () => (size === 0 ? [] : numbered([take()])),
  }
}

/** Leaves out a byte order mark at the start of the input, and a carriage return before the line feed. */
const lineOf = (text: string, number: number): string => {
  const from = number === 1 && text.startsWith('\uFEFF') ? 1 : 0
  return text.slice(from, text.endsWith('\r') ? -1 : undefined)
}

const isFilled = ({ text }: Line): boolean => text === undefined || FILLED.test(text)
const FILLED = /[^\t\r ]/
