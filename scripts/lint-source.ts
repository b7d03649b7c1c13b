/** The few rules of the house style that no linter has. Each names where it applies; run by `npm run check`. */
import { pathToFileURL } from 'node:url'
import { type ArrowFunctionExpression, type CallExpression, type Expression, Visitor } from 'oxc-parser'
import { parsed, placeOf, type SourceFile, sourceFiles } from './source-files.ts'

type Report = (offset: number, message: string) => void

/** One rule: the files it is for, those excused from it (each with a reason in a comment), and what it looks for. */
type SourceRule = {
  readonly name: string
  readonly appliesTo: (path: string) => boolean
  readonly excused: readonly string[]
  readonly check: (report: Report, file: SourceFile) => ConstructorParameters<typeof Visitor>[0]
}

const isIn =
  (...folders: readonly string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path.startsWith(folder))

const nameOf = (node: Expression | { readonly type: string }): string =>
  'name' in node && typeof node.name === 'string' ? node.name : ''

/** The last name of what is called: `filter` in `a.b.filter(…)`, `expect` in `expect(…)`. */
const calledName = ({ callee }: CallExpression): string =>
  callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee)

const BARE_ERROR = /^(Error|TypeError|RangeError|SyntaxError|ReferenceError|EvalError|URIError|AggregateError)$/

const SQL = new RegExp(
  [
    String.raw`\bSELECT\b[^]*\bFROM\b`,
    String.raw`\bUPDATE\b[^]*\bSET\b`,
    String.raw`\b(INSERT INTO|DELETE FROM|ON CONFLICT|DO UPDATE|ORDER BY|GROUP BY)\b`,
    String.raw`\b(CREATE|ALTER|DROP) (UNIQUE )?(TABLE|INDEX|VIEW|SCHEMA)\b`,
    String.raw`\b(COALESCE|CASE WHEN|CAST)\b`,
  ].join('|'),
)

const ONLY_SOME_TESTS = /^(only|skip|todo|skipIf|runIf|fails)$/

/** What makes a property's block body able to fail: a returned verdict, or a call of something that throws. */
const CAN_FAIL = /\breturn\s+[^\s;}]|\b(expect|assert)\w*(\.\w+)*\s*\(|\brunAndCompare\s*\(|\bthrow\b/

const isVacuous = (body: ArrowFunctionExpression['body'] | null, text: string): boolean =>
  body?.type === 'BlockStatement' && !CAN_FAIL.test(text.slice(body.start, body.end))

export const SOURCE_RULES: readonly SourceRule[] = [
  {
    name: 'errors have codes',
    appliesTo: (path) => isIn('src/')(path) && !isIn('src/errors/')(path),
    excused: [],
    check: (report) => {
      const message = 'throw a MergelawError with a code instead of a bare error'
      return {
        NewExpression: ({ callee, start }) => void (BARE_ERROR.test(nameOf(callee)) && report(start, message)),
        CallExpression: ({ callee, start }) => void (BARE_ERROR.test(nameOf(callee)) && report(start, message)),
      }
    },
  },
  {
    name: 'SQL is printed in one place',
    appliesTo: (path) => isIn('src/')(path) && !isIn('src/sql-render/print/')(path),
    excused: [],
    check: (report) => ({
      TemplateLiteral: ({ quasis, start }) => {
        const text = quasis.map((part) => part.value.raw).join('…')
        if (SQL.test(text))
          report(start, 'build SQL as nodes and print it; no SQL in template strings outside src/sql-render/print')
      },
    }),
  },
  {
    name: 'valid values are built, not filtered',
    appliesTo: isIn('properties/arbitraries'),
    excused: [],
    check: (report) => ({
      CallExpression: (call) => {
        if (/^(filter|pre)$/.test(calledName(call)) && call.callee.type === 'MemberExpression')
          report(call.start, 'build valid values with map and chain: filter and fc.pre throw generated values away')
      },
    }),
  },
  {
    name: 'every test runs',
    appliesTo: (path) => path.endsWith('.test.ts'),
    excused: [],
    check: (report) => ({
      MemberExpression: ({ property, start }) =>
        void (
          ONLY_SOME_TESTS.test(nameOf(property)) &&
          report(start, `no .${nameOf(property)} in tests: every test runs, and is expected to pass`)
        ),
    }),
  },
  {
    name: 'every property can fail',
    appliesTo: isIn('properties/', 'test/'),
    excused: [],
    check: (report, { text }) => ({
      CallExpression: (call) => {
        const last = call.arguments.at(-1)
        if (!/^(property|asyncProperty)$/.test(calledName(call)) || last === undefined) return
        if ((last.type === 'ArrowFunctionExpression' || last.type === 'FunctionExpression') && isVacuous(last.body, text))
          report(last.start, 'a property returns a boolean or calls an assertion; this one cannot fail')
      },
    }),
  },
]

const findings = (rule: SourceRule, file: SourceFile): readonly string[] => {
  const found: string[] = []
  const report: Report = (offset, message) => void found.push(`${placeOf(file, offset)}: ${message} (${rule.name})`)
  new Visitor(rule.check(report, file)).visit(parsed(file).program)
  return found
}

/** Everything the rules find in these files, one line each. */
export const sourceProblems = (files: readonly SourceFile[]): readonly string[] => [
  ...(files.length === 0 ? ['the source check looked at no file'] : []),
  ...files.flatMap((file) =>
    SOURCE_RULES.filter((rule) => rule.appliesTo(file.path) && !rule.excused.includes(file.path)).flatMap((rule) =>
      findings(rule, file),
    ),
  ),
]

const main = (): void => {
  const files = sourceFiles(process.cwd())
  const problems = sourceProblems(files)
  for (const problem of problems) console.error(problem)
  console.log(`${files.length} files, ${problems.length} source problems`)
  if (problems.length > 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
