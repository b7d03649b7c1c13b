import type { DocumentField } from '../ast/index.ts'

/** The objects that the fields live in, by their paths from the top, outer ones first. */
export const objectsOf = (fields: readonly DocumentField[]): readonly (readonly string[])[] => {
  const paths = fields.flatMap(({ path }) => path.map((_name, depth) => path.slice(0, depth)))
  const distinct = new Map(paths.map((path) => [textOf(path), path]))
  return [...distinct.values()].sort((a, b) => a.length - b.length)
}

export const samePath = (a: readonly string[], b: readonly string[]): boolean => textOf(a) === textOf(b)

const textOf = (path: readonly string[]): string => JSON.stringify(path)

/** The first hexadecimal digits of the escapes `\u00XX` that spell the letters of a text: `567` for `subagent_task`. */
export const escapeDigits = (text: string): string =>
  [...new Set(Array.from(text, (letter) => letter.charCodeAt(0) >> 4))].sort((a, b) => a - b).join('')
