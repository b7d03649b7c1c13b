import { expect, test } from 'vitest'
import { SOURCE_RULES, sourceProblems } from '../../scripts/lint-source.ts'
import { sourceFiles } from '../../scripts/source-files.ts'

type Case = { readonly rule: string; readonly path: string; readonly bad: readonly string[]; readonly good: readonly string[] }

const PROPERTY = 'properties/a.test.ts'

const CASES: readonly Case[] = [
  {
    rule: 'errors have codes',
    path: 'src/engine/a.ts',
    bad: [`throw new Error('x')`, `throw Error('x')`, `const e = new TypeError('x')`],
    good: [`throw new MergelawError('row', 'x')`, `const isError = (e) => e instanceof Error`, `// new Error('x')`],
  },
  {
    rule: 'SQL is printed in one place',
    path: 'src/engine/a.ts',
    bad: [
      'const a = `SELECT ${b} FROM t`',
      'const a = `INSERT INTO ${t}`',
      'const a = `UPDATE ${t}\nSET x = 1`',
      'f`COALESCE(${a}, 1)`',
    ],
    good: ["const a = 'BEGIN'", 'const a = `cannot update ${t}: set it first`', '// `SELECT 1 FROM t`\nconst a = 1'],
  },
  {
    rule: 'valid values are built, not filtered',
    path: 'properties/arbitraries/a.ts',
    bad: ['const a = fc.integer().filter((n) => n > 0)', 'fc.pre(a)'],
    good: ['const a = fc.nat().map((n) => n + 1)'],
  },
  {
    rule: 'every test runs',
    path: 'test/a.test.ts',
    bad: [
      'test.only("a", f)',
      'describe.skip("a", f)',
      'it.todo("a")',
      'test.each([1]).skip("a", f)',
      'ctx.skip()',
      'test.skipIf(a)("b", f)',
    ],
    good: ['test("only", f)', 'describe.each([1])("skip", f)'],
  },
  {
    rule: 'every property can fail',
    path: PROPERTY,
    bad: ['fc.property(a, (x) => { isEqual(x, x) })', 'fc.asyncProperty(a, async (x) => { await f(x); return })'],
    good: [
      'fc.property(a, (x) => isEqual(x, x))',
      'fc.property(a, (x) => { expect(x).toBe(x) })',
      'fc.property(a, (x) => { return isEqual(x, x) })',
      'fc.asyncProperty(a, async (x) => { await runAndCompare(x) })',
    ],
  },
]

test('tooling: every source rule has its cases here', () => {
  expect(CASES.map((one) => one.rule)).toEqual(SOURCE_RULES.map((rule) => rule.name))
})

test.each(CASES.flatMap(({ rule, path, bad }) => bad.map((text) => ({ rule, path, text }))))(
  'tooling: "$rule" catches $text',
  (one) => {
    expect(sourceProblems([one])).toEqual([expect.stringMatching(new RegExp(`^${one.path}:1: .*\\(${one.rule}\\)$`))])
  },
)

test.each(CASES.flatMap(({ rule, path, good }) => good.map((text) => ({ rule, path, text }))))(
  'tooling: "$rule" lets $text pass',
  (one) => {
    expect(sourceProblems([one])).toEqual([])
  },
)

test('tooling: the rules stop at the folders that are meant to break them', () => {
  const text = 'throw new Error(`SELECT ${a} FROM t`)'
  expect(sourceProblems([{ path: 'src/errors/index.ts', text: 'new Error("a")' }])).toEqual([])
  expect(sourceProblems([{ path: 'src/sql-render/print/a.ts', text: 'const a = `SELECT ${b} FROM t`' }])).toEqual([])
  expect(sourceProblems([{ path: 'scripts/a.ts', text }])).toEqual([])
  expect(sourceProblems([{ path: 'src/cli/a.ts', text }])).toHaveLength(2)
})

test('tooling: a check that looks at nothing, or at a file it cannot read, fails', () => {
  expect(sourceProblems([])).toEqual(['the source check looked at no file'])
  expect(() => sourceProblems([{ path: 'src/a.ts', text: 'const = 1' }])).toThrow('src/a.ts cannot be parsed')
})

test('tooling: the check sees the files of this project', () => {
  const paths = sourceFiles(process.cwd()).map((file) => file.path)
  expect(paths).toEqual(expect.arrayContaining(['src/errors/index.ts', 'test/scripts/lint-source.test.ts', 'vitest.config.ts']))
})
