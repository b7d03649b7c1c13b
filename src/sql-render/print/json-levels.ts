import type { DocumentField } from '../ast/index.ts'

/** One object of a document that fields are read from: the top, or a member of an outer level. */
export interface Level {
  readonly path: readonly string[]
  /** Names of the members that are read, objects inside included. */
  readonly members: readonly string[]
}

/** The objects that the fields live in, outer ones first. */
export const levelsOf = (fields: readonly DocumentField[]): readonly Level[] => {
  const levels = new Map<string, { path: readonly string[]; members: Set<string> }>()
  for (const { path } of fields) {
    path.forEach((name, depth) => {
      const outer = path.slice(0, depth)
      const key = JSON.stringify(outer)
      const level = levels.get(key) ?? { path: outer, members: new Set<string>() }
      level.members.add(name)
      levels.set(key, level)
    })
  }
  return [...levels.values()]
    .sort((a, b) => a.path.length - b.path.length)
    .map(({ path, members }) => ({ path, members: [...members] }))
}

export const samePath = (a: readonly string[], b: readonly string[]): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The first hexadecimal digits of the escapes `\u00XX` that spell the letters of a text: `567` for `subagent_task`. */
export const escapeDigits = (text: string): string =>
  [...new Set(Array.from(text, (letter) => letter.charCodeAt(0) >> 4))].sort((a, b) => a - b).join('')
