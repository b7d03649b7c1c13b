import { LosslessNumber, parse } from 'lossless-json'

/** Objects and arrays inside each other, at most: what SQLite reads. https://sqlite.org/json1.html */
export const MAX_JSON_DEPTH = 1000

/** A JSON number as it was written; `1e3` and `1000` are different texts. */
export const isWrittenNumber = (value: unknown): value is LosslessNumber => value instanceof LosslessNumber

/**
 * Reads a JSON text strictly (RFC 8259), every number as it is written, the last of duplicate names. Undefined when it is none.
 *
 * Use it where digits matter, or how a number is spelled. Undefined too when it nests deeper than `MAX_JSON_DEPTH`, so that nothing
 * that reads the value can run out of stack. Objects are plain: look members up with `memberOf`.
 */
export const readJson = (text: string): unknown => {
  try {
    JSON.parse(text)
    if (depthOf(text) > MAX_JSON_DEPTH) return undefined
    return parse(text, undefined, {
      parseNumber: (written) => new LosslessNumber(written),
      onDuplicateKey: ({ newValue }) => newValue,
    })
  } catch {
    return undefined
  }
}

/** An object's own member of that name; undefined where the value is no object or has none. */
export const memberOf = (value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isWrittenNumber(value)) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

/** How deep valid JSON nests, without recursion: brackets inside of strings do not count. */
const depthOf = (text: string): number => {
  let depth = 0
  let deepest = 0
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth)
    else if (token === ']' || token === '}') depth--
  }
  return deepest
}
