/**
 * Which folder may import which: the table of the architecture, as data. `scripts/check-imports.ts` enforces it.
 *
 * A file belongs to the row with the longest matching entry of `files` (a path ending in `/` is a folder). It may import its
 * own row, the rows in `may`, types alone from the rows in `typesOf`, and the packages and node modules that its row names.
 */
export type ImportRule = {
  readonly files: readonly string[]
  readonly may: readonly string[] | 'all but cli'
  readonly typesOf?: readonly string[]
  /** Names of packages; `dependencies` are those of package.json that every user of the library gets, `drivers` its peers. */
  readonly packages: readonly string[] | 'dependencies' | 'dependencies, drivers' | 'any'
  readonly node: readonly string[] | 'any' | 'any but files'
}

/** Packages that only compute. */
const PURE = ['fp-ts', 'io-ts', 'temporal-polyfill', 'lossless-json', 'diff']

const SQL_RENDER = ['ast', 'lower', 'print', 'artifacts']
const OVER_A_SESSION = ['rules', ...SQL_RENDER, 'engine', 'session port', 'errors', 'util']

/** What the library offers: the entry points of package.json, and the folders' own. A proof uses nothing behind them. */
const ENTRIES = [
  'src/index.ts',
  'src/adapters/better-sqlite3.ts',
  'src/adapters/pg.ts',
  'src/subagents/index.ts',
  'src/admission/index.ts',
  'src/rules/index.ts',
  'src/sql-render/index.ts',
  'src/engine/index.ts',
]

export const IMPORT_RULES: Readonly<Record<string, ImportRule>> = {
  index: {
    files: ['src/index.ts'],
    may: OVER_A_SESSION,
    packages: PURE,
    node: [],
  },
  rules: { files: ['src/rules/'], may: ['errors', 'util'], packages: PURE, node: [] },
  ast: { files: ['src/sql-render/ast/'], may: ['util'], packages: PURE, node: [] },
  lower: { files: ['src/sql-render/lower/'], may: ['ast', 'rules', 'errors'], packages: PURE, node: [] },
  print: { files: ['src/sql-render/print/'], may: ['ast', 'errors', 'util'], packages: PURE, node: [] },
  artifacts: {
    files: ['src/sql-render/'],
    may: ['ast', 'lower', 'print', 'rules', 'errors', 'util'],
    packages: PURE,
    node: ['node:crypto'],
  },
  'session port': {
    files: ['src/adapters/session.ts', 'src/adapters/program.ts', 'src/adapters/decode.ts', 'src/adapters/retry.ts'],
    may: ['errors', 'util'],
    typesOf: SQL_RENDER,
    packages: PURE,
    node: [],
  },
  adapters: {
    files: ['src/adapters/'],
    may: ['session port', 'errors', 'util'],
    typesOf: SQL_RENDER,
    packages: 'dependencies',
    node: 'any but files',
  },
  'adapter files': {
    files: ['src/adapters/open-sqlite.ts'],
    may: ['adapters', 'session port', 'errors', 'util'],
    packages: 'dependencies',
    node: 'any',
  },
  engine: {
    files: ['src/engine/'],
    may: ['rules', ...SQL_RENDER, 'session port', 'errors', 'util'],
    packages: 'dependencies',
    node: 'any but files',
  },
  errors: { files: ['src/errors/'], may: [], packages: PURE, node: [] },
  util: { files: ['src/util/'], may: ['errors'], packages: PURE, node: ['node:crypto'] },
  subagents: { files: ['src/subagents/'], may: OVER_A_SESSION, packages: 'dependencies', node: 'any but files' },
  admission: {
    files: ['src/admission/'],
    may: ['errors', 'util', 'admission files'],
    packages: 'dependencies',
    node: 'any but files',
  },
  'admission files': {
    files: ['src/admission/file-store.ts', 'src/admission/replace-file.ts', 'src/admission/locks.ts'],
    may: ['errors', 'util', 'admission'],
    packages: 'dependencies',
    node: 'any',
  },
  cli: {
    files: ['src/cli/'],
    may: ['index', ...OVER_A_SESSION, 'adapters', 'adapter files', 'subagents', 'admission', 'admission files'],
    packages: 'dependencies, drivers',
    node: 'any',
  },
  properties: {
    files: ['properties/'],
    // The port holds no merge, so a proof may run programs of its own over it.
    may: ['test support', 'session port', ...ENTRIES],
    packages: 'any',
    node: 'any',
  },
  'test support': { files: ['test/support/'], may: 'all but cli', packages: 'any', node: 'any' },
  test: { files: ['test/'], may: 'all but cli', packages: 'any', node: 'any' },
  tools: { files: ['scripts/', 'bench/', 'examples/', 'vitest.config.ts'], may: 'all but cli', packages: 'any', node: 'any' },
}
