import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { messageOf } from '../adapters/errors.ts'
import { MergelawError } from '../errors/index.ts'
import { type Artifact, sha256 } from '../sql-render/index.ts'

/** How one file of the folder differs from what the contracts generate. */
export interface Difference {
  readonly path: string
  readonly kind: 'stale' | 'edited' | 'missing' | 'unexpected'
  /** Says what happened and what to do. */
  readonly message: string
  /** A unified diff, from the file on disk to what it should be. */
  readonly diff: string
}

/** Every file below a folder, by its relative path with `/`. A folder that is not there is an empty one. */
export const readFolder = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
    const named = paths.map(async (path) => [relative(folder, path).split(sep).join('/'), await readFile(path, 'utf8')] as const)
    return new Map(await Promise.all(named))
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return new Map()
    throw new MergelawError('usage', `could not read ${folder}: ${messageOf(cause)}`, { cause })
  }
}

/** Both ways: what should be there and is not so, and what is there and should not be. */
export const compare = (expected: readonly Artifact[], onDisk: ReadonlyMap<string, string>): readonly Difference[] => {
  const known = new Set(expected.map(({ path }) => path))
  return [
    ...expected.flatMap((artifact) => differenceOf(artifact, onDisk)),
    ...[...onDisk].filter(([path]) => !known.has(path)).map(([path, text]) => unexpected(path, text)),
  ]
}

const REGENERATE = 'run: mergelaw sql --out DIR'

const differenceOf = ({ path, text }: Artifact, onDisk: ReadonlyMap<string, string>): readonly Difference[] => {
  const found = onDisk.get(path)
  if (found === text) return []
  if (found === undefined) {
    const diff = createTwoFilesPatch('/dev/null', path, '', text)
    return [{ path, kind: 'missing', message: `missing: it was never generated here, or was deleted; ${REGENERATE}`, diff }]
  }
  const diff = createTwoFilesPatch(`${path} (on disk)`, `${path} (generated)`, found, text)
  const reason = staleReason(path, found, text, onDisk)
  return reason === undefined
    ? [{ path, kind: 'edited', message: `edited by hand: move the change into the contract, then ${REGENERATE}`, diff }]
    : [{ path, kind: 'stale', message: `stale: ${reason} since it was generated; ${REGENERATE}`, diff }]
}

const unexpected = (path: string, text: string): Difference => ({
  path,
  kind: 'unexpected',
  message: 'unexpected: no contract generates this file; delete it, or keep it elsewhere',
  diff: createTwoFilesPatch(path, '/dev/null', text, ''),
})

const MANIFEST = 'manifest.json'

const Manifest = t.type({ contracts: t.record(t.string, t.string), files: t.record(t.string, t.type({ hash: t.string })) })
type Manifest = t.TypeOf<typeof Manifest>

const readManifest = (text: string | undefined): Manifest | undefined => {
  try {
    const decoded = Manifest.decode(JSON.parse(text ?? ''))
    return isRight(decoded) ? decoded.right : undefined
  } catch {
    return undefined
  }
}

/** Why a file that differs is merely old: its contract changed, or the generator did; undefined when a hand was at work. */
const staleReason = (path: string, found: string, text: string, onDisk: ReadonlyMap<string, string>): string | undefined => {
  if (contractIn(path, found) !== contractIn(path, text)) return 'the contract changed'
  const manifest = readManifest(onDisk.get(MANIFEST))
  if (manifest === undefined) return undefined
  const isAsGenerated =
    path === MANIFEST ? isOldManifest(manifest, text, onDisk) : manifest.files[path]?.hash === `sha256:${sha256(found)}`
  return isAsGenerated ? 'the generator changed' : undefined
}

/** Which contract a file says it was generated from. */
const contractIn = (path: string, text: string): string | undefined =>
  path === MANIFEST ? JSON.stringify(readManifest(text)?.contracts) : /^-- .*\bContract (sha256:[0-9a-f]{64})$/m.exec(text)?.[1]

/** An old manifest lists other files than the present one, and those are the files that are there. */
const isOldManifest = (manifest: Manifest, present: string, onDisk: ReadonlyMap<string, string>): boolean =>
  JSON.stringify(manifest.files) !== JSON.stringify(readManifest(present)?.files) &&
  Object.entries(manifest.files).every(([path, { hash }]) => hash === `sha256:${sha256(onDisk.get(path) ?? '')}`)
