import { MergelawError } from '../errors/index.ts'

/** File names end at 255 bytes; the longest suffix of the store with a temporary name on top takes 21 of them. */
const LONGEST_NAME = 200

/** Device names that Windows opens instead of a file, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i

/** Separators, the drive and stream colon, the other characters Windows forbids, and control characters (NUL among them). */
const FORBIDDEN = /[/\\:*?"<>|\p{Cc}]/u

/** True for a run reference: `sa_`, then ASCII letters, digits, `_` and `-`, at most 200 characters. */
export const isRef = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LONGEST_NAME && /^sa_[A-Za-z0-9_-]+$/.test(value)

/** True for a bare name that stays a file name of its own on every system: nothing in it can leave the directory. */
export const isSessionId = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.isWellFormed() &&
  Buffer.byteLength(value) <= LONGEST_NAME &&
  !FORBIDDEN.test(value) &&
  !DEVICE.test(value) &&
  !/[. ]$/.test(value)

/** Quotes any value for a message: on one line, shortened, and never failing on what it is given. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return shortened(JSON.stringify(value))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function' || (typeof value === 'object' && value !== null)) return `a value of type ${typeof value}`
  return String(value)
}

/** Keeps a text on one line: line separators and control characters are escaped, as JSON escapes them inside a text. */
export const onOneLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** As `onOneLine`, and the tail of a long text is cut. */
export function shortened(text: string): string {
  const line = onOneLine(text)
  return line.length <= 200 ? line : `${line.slice(0, 160)}… (${line.length} characters)`
}

/** No system takes a longer path. */
const LONGEST_PATH = 8192

/** Quotes a path: whole, because its end says which file it is. */
export function quotedPath(path: string): string {
  const line = onOneLine(JSON.stringify(path))
  return line.length <= LONGEST_PATH ? line : `${line.slice(0, 160)}…${line.slice(-160)}`
}

/** Returns the reference, or throws `usage`: nothing is looked up for a name that is not one. */
export function checkRef(value: unknown): string {
  if (isRef(value)) return value
  const rule = "a reference is 'sa_' followed by letters, digits, '_' or '-', at most 200 characters"
  throw new MergelawError('usage', `${quoted(value)} is not a run reference: ${rule}`, { details: { ref: value } })
}

/** Returns the session id, or throws `usage`. */
export function checkSessionId(value: unknown, field = 'session'): string {
  if (isSessionId(value)) return value
  const rule = 'a session id is a bare file name without separators, at most 200 bytes'
  throw new MergelawError('usage', `${field} ${quoted(value)} is not a session id: ${rule}`, { details: { [field]: value } })
}
