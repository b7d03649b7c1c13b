import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { messageOf } from '../adapters/errors.ts'
import { MergelawError } from '../errors/index.ts'

/** One line of an input, without its line break. */
export interface Line {
  /** From 1, as editors count. */
  readonly number: number
  /** Undefined where the line is longer than `MAX_LINE_BYTES`. */
  readonly text: string | undefined
}

/** Longer lines are not read into memory: no frame comes near, and one line must not end the process. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

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
  return inputOf(path, file.createReadStream({ highWaterMark: 256 * 1024 }), size)
}

const inputOf = (name: string, stream: Readable, size: number | undefined): Input => {
  let taken = 0
  const onBytes = (bytes: number): void => void (taken += bytes)
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
 * Not `readline`: that also splits at U+2028, which may stand in a JSON text. Ill-formed UTF-8 becomes U+FFFD.
 */
async function* linesOf(name: string, stream: Readable, onBytes: (bytes: number) => void): AsyncGenerator<readonly Line[]> {
  const splitter = newSplitter()
  try {
    for await (const chunk of stream) {
      // A stream without encoding gives buffers.
      const bytes = chunk as Buffer
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
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let number = 0
  let pending: Buffer[] = []
  let size = 0
  const keep = (part: Buffer): void => {
    size += part.length
    if (size <= MAX_LINE_BYTES) pending.push(part)
  }
  const take = (): Line => {
    number++
    const tooLong = size > MAX_LINE_BYTES
    const text = tooLong ? undefined : decoder.decode(pending.length === 1 ? pending[0] : Buffer.concat(pending))
    pending = []
    size = 0
    return { number, text: text === undefined ? undefined : clean(text, number === 1) }
  }
  return {
    push: (chunk) => {
      const lines: Line[] = []
      let from = 0
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        keep(chunk.subarray(from, at))
        lines.push(take())
        from = at + 1
      }
      if (from < chunk.length) keep(chunk.subarray(from))
      return lines.filter(isFilled)
    },
    end: () => (size === 0 ? [] : [take()].filter(isFilled)),
  }
}

const clean = (text: string, isFirst: boolean): string => {
  const start = isFirst && text.startsWith('\uFEFF') ? 1 : 0
  return text.slice(start, text.endsWith('\r') ? -1 : undefined)
}

const BLANK = /^[ \t\r]*$/

const isFilled = ({ text }: Line): boolean => text === undefined || !BLANK.test(text)
