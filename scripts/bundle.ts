/**
 * `tsx scripts/bundle.ts [FOLDER]`: the command as users run it, each verb with all it needs in a file or two, in dist/cli.
 *
 * Node finds, opens and links every module on its own: two hundred of them took longer than recording ten thousand frames.
 */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const folder = join(process.argv[2] ?? join(root, 'dist'), 'cli')

/** CommonJS packages ask for Node's own modules by `require`, which an ES module has not. */
const REQUIRE = "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)"

/** Drivers are the user's. */
const EXTERNAL = ['better-sqlite3', 'pg']

rmSync(folder, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir: folder,
  bundle: true,
  // A verb is loaded when it runs.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  // ES modules where a package has them: what a CommonJS one exports is looked up at each use.
  mainFields: ['module', 'main'],
  alias: { 'fp-ts/lib': 'fp-ts/es6' },
  banner: { js: REQUIRE },
  // Less to read before the first line runs; names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  logLevel: 'warning',
})

chmodSync(join(folder, 'main.js'), 0o755)

/** The folders of the packages that are in the bundle. */
const packages = new Set(Object.keys(metafile.inputs).flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))

const licenceOf = (path: string): string => {
  const file = readdirSync(join(root, path)).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${path} is bundled, and has no licence file to go with it`)
  return `${path.slice('node_modules/'.length)}\n\n${readFileSync(join(root, path, file), 'utf8').trim()}\n`
}

writeFileSync(
  join(folder, 'THIRD-PARTY-LICENSES.txt'),
  [...packages]
    .sort()
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`),
)
