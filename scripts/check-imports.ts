/** Checks the import rules and that no files import each other in a circle. Run by `npm run check`. */
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Visitor } from 'oxc-parser'
import { IMPORT_RULES, type ImportRule } from './import-rules.ts'
import { parsed, placeOf, type SourceFile, sourceFiles } from './source-files.ts'

type Import = { readonly specifier: string; readonly isType: boolean; readonly place: string }

type Packages = { readonly dependencies: readonly string[]; readonly drivers: readonly string[] }

/** Every import of a file, however it is written: static, re-export, dynamic, `import('x')` in a type. */
export const importsOf = (file: SourceFile): readonly Import[] => {
  const found: Import[] = []
  const { program, module } = parsed(file)
  const add = (specifier: string, isType: boolean, offset: number): void =>
    void found.push({ specifier, isType, place: placeOf(file, offset) })
  for (const { moduleRequest, entries, start } of module.staticImports)
    add(moduleRequest.value, entries.length > 0 && entries.every((entry) => entry.isType), start)
  for (const { moduleRequest, isType, start } of module.staticExports.flatMap((statement) => statement.entries))
    if (moduleRequest !== null) add(moduleRequest.value, isType, start)
  new Visitor({
    ImportExpression: ({ source, start }) =>
      add(source.type === 'Literal' && typeof source.value === 'string' ? source.value : '(computed)', false, start),
    TSImportType: ({ source, start }) => add(source.value, true, start),
  }).visit(program)
  return found
}

const matches = (path: string, entry: string): boolean => (entry.endsWith('/') ? path.startsWith(entry) : path === entry)

/** The name of the row a file belongs to. */
const ruleNameOf = (path: string): string | undefined => {
  const candidates = Object.entries(IMPORT_RULES).flatMap(([name, rule]) =>
    rule.files.filter((entry) => matches(path, entry)).map((entry) => ({ name, length: entry.length })),
  )
  return candidates.sort((a, b) => b.length - a.length)[0]?.name
}

const targetOf = (path: string, specifier: string): string => posix.normalize(posix.join(posix.dirname(path), specifier))

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

const mayImportFile = (name: string, rule: ImportRule, target: string, isType: boolean): boolean => {
  const targetName = ruleNameOf(target)
  if (targetName === undefined) return false
  if (targetName === name) return true
  if (rule.may === 'all but cli') return targetName !== 'cli'
  const allowed = isType ? [...rule.may, ...(rule.typesOf ?? [])] : rule.may
  return allowed.includes(targetName) || allowed.includes(target)
}

const mayImportPackage = (rule: ImportRule, specifier: string, packages: Packages): boolean => {
  if (rule.packages === 'any') return true
  const allowed =
    rule.packages === 'dependencies'
      ? packages.dependencies
      : rule.packages === 'dependencies, drivers'
        ? [...packages.dependencies, ...packages.drivers]
        : rule.packages
  return allowed.includes(packageOf(specifier))
}

const mayImportNode = (rule: ImportRule, specifier: string): boolean => {
  const module = specifier.startsWith('node:') ? specifier : `node:${specifier}`
  if (rule.node === 'any') return true
  return rule.node === 'any but files' ? !/^node:fs\b/.test(module) : rule.node.includes(module)
}

const violationOf = (
  path: string,
  name: string,
  rule: ImportRule,
  { specifier, isType, place }: Import,
  packages: Packages,
): string[] => {
  const isFile = specifier.startsWith('.')
  const isAllowed = isFile
    ? mayImportFile(name, rule, targetOf(path, specifier), isType)
    : isBuiltin(specifier)
      ? mayImportNode(rule, specifier)
      : mayImportPackage(rule, specifier, packages)
  return isAllowed
    ? []
    : [`${place}: ${name} may not import ${isFile ? targetOf(path, specifier) : specifier}${isType ? ' (types)' : ''}`]
}

const ruleViolations = (file: SourceFile, packages: Packages): readonly string[] => {
  const name = ruleNameOf(file.path)
  const rule = name === undefined ? undefined : IMPORT_RULES[name]
  if (name === undefined || rule === undefined) return [`${file.path}: no row of scripts/import-rules.ts covers this file`]
  return importsOf(file).flatMap((one) => violationOf(file.path, name, rule, one, packages))
}

/** One circle of imports per file that closes one, as `a → b → a`. Types count: they tie files together as well. */
export const cyclesOf = (files: readonly SourceFile[]): readonly string[] => {
  const targets = new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => targetOf(file.path, specifier)),
    ]),
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) return void cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (done.has(path)) return
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of targets.keys()) visit(path, [])
  return cycles.map((cycle) => `import cycle: ${cycle}`)
}

/** Rows that match nothing: a rule that looks at no file guards nothing. */
export const idleRules = (files: readonly SourceFile[]): readonly string[] => {
  const used = new Set(files.map((file) => ruleNameOf(file.path)))
  return Object.keys(IMPORT_RULES)
    .filter((name) => !used.has(name))
    .map((name) => `scripts/import-rules.ts: the row "${name}" matches no file; rename or remove it`)
}

/** Everything that is wrong with the imports of these files, one line each. */
export const importProblems = (files: readonly SourceFile[], packages: Packages): readonly string[] => [
  ...(files.length === 0 ? ['the import check looked at no file'] : []),
  ...files.flatMap((file) => ruleViolations(file, packages)),
  ...cyclesOf(files),
]

const main = (): void => {
  const files = sourceFiles(process.cwd())
  const manifest: { dependencies: object; peerDependencies: object } = JSON.parse(readFileSync('package.json', 'utf8'))
  const packages = { dependencies: Object.keys(manifest.dependencies), drivers: Object.keys(manifest.peerDependencies) }
  const problems = [...importProblems(files, packages), ...idleRules(files)]
  for (const problem of problems) console.error(problem)
  console.log(`${files.length} files, ${problems.length} import problems`)
  if (problems.length > 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
