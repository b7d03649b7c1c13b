import { describe, expect, test } from 'vitest'
import { cyclesOf, idleRules, importProblems, importsOf } from '../../scripts/check-imports.ts'
import type { SourceFile } from '../../scripts/source-files.ts'

const PACKAGES = { dependencies: ['fp-ts', 'io-ts', 'pino', 'write-file-atomic'], drivers: ['pg', 'better-sqlite3'] }

const problems = (path: string, text: string): readonly string[] => importProblems([{ path, text }], PACKAGES)

const FORBIDDEN: readonly (readonly [path: string, text: string])[] = [
  ['src/rules/a.ts', `import { a } from '../sql-render/ast/a.ts'`],
  ['src/rules/a.ts', `import type { a } from '../adapters/session.ts'`],
  ['src/rules/a.ts', `import { readFileSync } from 'node:fs'`],
  ['src/rules/a.ts', `import { hash } from 'crypto'`],
  ['src/rules/a.ts', `import fc from 'fast-check'`],
  ['src/rules/kinds/a.ts', `export * from '../../engine/index.ts'`],
  ['src/sql-render/ast/a.ts', `import type { Rule } from '../../rules/index.ts'`],
  ['src/sql-render/lower/a.ts', `import { print } from '../print/postgres.ts'`],
  ['src/sql-render/print/a.ts', `import { lower } from '../lower/upsert.ts'`],
  ['src/sql-render/print/a.ts', `import { key } from '../../rules/index.ts'`],
  ['src/sql-render/artifacts.ts', `import { writeFileSync } from 'node:fs'`],
  ['src/adapters/pg.ts', `import pg from 'pg'`],
  ['src/adapters/pg.ts', `import type { Client } from 'pg'`],
  ['src/adapters/pg.ts', `type Client = import('pg').Client`],
  ['src/adapters/better-sqlite3.ts', `const load = () => import('better-sqlite3')`],
  ['src/adapters/pg.ts', `import { printUpsert } from '../sql-render/print/postgres.ts'`],
  ['src/adapters/pg.ts', `import type { Frame } from '../subagents/index.ts'`],
  ['src/adapters/session.ts', `import type { x } from './pg.ts'`],
  ['src/engine/a.ts', `import { pgSession } from '../adapters/pg.ts'`],
  ['src/engine/a.ts', `import { decode } from '../subagents/index.ts'`],
  ['src/subagents/a.ts', `import { admit } from '../admission/index.ts'`],
  ['src/subagents/a.ts', `import { sqliteSession } from '../adapters/better-sqlite3.ts'`],
  ['src/admission/decide.ts', `import { readFile } from 'node:fs/promises'`],
  ['src/admission/decide.ts', `import { decode } from '../subagents/index.ts'`],
  ['src/index.ts', `export { pgSession } from './adapters/pg.ts'`],
  ['src/index.ts', `import pg from 'pg'`],
  ['src/errors/index.ts', `import { a } from '../util/a.ts'`],
  ['src/util/a.ts', `import { a } from '../rules/index.ts'`],
  ['src/engine/a.ts', `import { run } from '../cli/main.ts'`],
  ['test/cli/a.test.ts', `import { run } from '../../src/cli/main.ts'`],
  ['properties/a.test.ts', `import { merge } from '../src/rules/reducer.ts'`],
  ['src/cli/a.ts', `import fc from 'fast-check'`],
  ['src/engine/a.ts', `const load = (name: string) => import(name)`],
]

const ALLOWED: readonly (readonly [path: string, text: string])[] = [
  [
    'src/rules/a.ts',
    `import { MergelawError } from '../errors/index.ts'\nimport { pipe } from 'fp-ts/function'\nimport { b } from './b.ts'`,
  ],
  ['src/sql-render/lower/a.ts', `import { key } from '../../rules/index.ts'\nimport type { Node } from '../ast/index.ts'`],
  ['src/sql-render/artifacts.ts', `import { createHash } from 'node:crypto'\nimport { lower } from './lower/upsert.ts'`],
  [
    'src/adapters/pg.ts',
    `import type { Statement } from '../sql-render/ast/index.ts'\nimport type { Program } from './program.ts'`,
  ],
  [
    'src/engine/a.ts',
    `import type { Session } from '../adapters/session.ts'\nimport { lower } from '../sql-render/lower/upsert.ts'`,
  ],
  ['src/admission/file-store.ts', `import { open } from 'node:fs/promises'\nimport atomic from 'write-file-atomic'`],
  ['src/cli/a.ts', `import pg from 'pg'\nimport Database from 'better-sqlite3'\nimport { pgSession } from '../adapters/pg.ts'`],
  ['properties/a.test.ts', `import fc from 'fast-check'\nimport { merge } from '../src/index.ts'\nimport pg from 'pg'`],
  ['test/rules/a.test.ts', `import { key } from '../../src/rules/index.ts'`],
]

describe('tooling: the import rules', () => {
  test.each(FORBIDDEN)('catch in %s: %s', (path, text) => {
    expect(problems(path, text)).toEqual([expect.stringContaining(`${path}:1: `)])
  })

  test.each(ALLOWED)('let pass in %s: %s', (path, text) => {
    expect(problems(path, text)).toEqual([])
  })

  test('refuse a file that no row covers, and an import of one', () => {
    expect(problems('src/new-folder/a.ts', '')).toEqual([expect.stringContaining('no row')])
    expect(problems('src/cli/a.ts', `import { a } from '../new-folder/a.ts'`)).toHaveLength(1)
  })

  test('fail when they look at nothing: no file at all, or a row without a file', () => {
    expect(importProblems([], PACKAGES)).toEqual(['the import check looked at no file'])
    expect(idleRules([{ path: 'src/index.ts', text: '' }])).toContainEqual(expect.stringContaining('"rules" matches no file'))
    expect(idleRules([{ path: 'src/index.ts', text: '' }])).not.toContainEqual(expect.stringContaining('"index"'))
  })
})

test('tooling: imports are found however they are written, with place and kind', () => {
  const text = [
    `import 'a'`,
    `import { b, type B } from 'b'`,
    `import { type C } from 'c'`,
    `export type { D } from 'd'`,
    `export * as e from 'e'`,
    `const f = await import('f')`,
    `type G = import('g').G`,
    `// import 'comment'`,
    'const text = `import "text"`',
  ].join('\n')
  const found = importsOf({ path: 'src/x.ts', text }).map(
    (one) => `${one.place} ${one.specifier} ${one.isType ? 'type' : 'value'}`,
  )
  expect(found.sort()).toEqual([
    'src/x.ts:1 a value',
    'src/x.ts:2 b value',
    'src/x.ts:3 c type',
    'src/x.ts:4 d type',
    'src/x.ts:5 e value',
    'src/x.ts:6 f value',
    'src/x.ts:7 g type',
  ])
})

describe('tooling: import cycles', () => {
  const file = (name: string, ...imports: readonly string[]): SourceFile => ({
    path: `src/rules/${name}.ts`,
    text: imports.map((target) => `import type { x } from './${target}.ts'`).join('\n'),
  })

  test('are caught and shown, directly and through others', () => {
    expect(cyclesOf([file('a', 'b'), file('b', 'a')])).toEqual(['import cycle: src/rules/a.ts → src/rules/b.ts → src/rules/a.ts'])
    expect(cyclesOf([file('a', 'b'), file('b', 'c', 'd'), file('c'), file('d', 'b')])).toEqual([
      'import cycle: src/rules/b.ts → src/rules/d.ts → src/rules/b.ts',
    ])
    expect(cyclesOf([file('a', 'a')])).toHaveLength(1)
  })

  test('are not seen in a diamond', () => {
    expect(cyclesOf([file('a', 'b', 'c'), file('b', 'd'), file('c', 'd'), file('d')])).toEqual([])
  })
})
