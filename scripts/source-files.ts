/** The TypeScript files of the project, and what they contain, for the checks in this folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseResult, parseSync } from 'oxc-parser'

/** A source file: its path from the project's root with `/`, and its text. */
export type SourceFile = { readonly path: string; readonly text: string }

const FOLDERS = ['src', 'properties', 'test', 'bench', 'scripts', 'examples']

const filesIn = (root: string, folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name).replaceAll('\\', '/'),
      )
    : []

/** Every TypeScript file under the project's folders, and those at the root. */
export const sourceFiles = (root: string): readonly SourceFile[] => {
  const atRoot = readdirSync(root)
  return [...FOLDERS.flatMap((folder) => filesIn(root, folder)), ...atRoot]
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** The syntax tree of a file; a file that cannot be parsed stops the check instead of being passed over. */
export const parsed = ({ path, text }: SourceFile): ParseResult => {
  const result = parseSync(path, text)
  const error = result.errors[0]
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`)
  return result
}

/** `path:line` of a position in a file. */
export const placeOf = ({ path, text }: SourceFile, offset: number): string =>
  `${path}:${text.slice(0, offset).split('\n').length}`
