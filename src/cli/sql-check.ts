import { createTwoFilesPatch } from 'diff'
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Artifact, sha256 } from '../sql-render/index.ts'
import type { Found } from './sql-folder.ts'

/** How one file of the folder differs from what the contracts generate. */
export interface Difference {
  readonly path: string
  readonly kind: 'stale' | 'edited' | 'missing' | 'unexpected'
  /** Says what happened and what to do. */
  readonly message: string
  /** A unified diff, from the file on disk to what it should be. */
  readonly diff: string
}

/** Both ways: what should be there and is not so, and what is there and should not be. */
export const compare = (expected: readonly Artifact[], onDisk: ReadonlyMap<string, Found>): readonly Difference[] => {
  const known = new Set(expected.map(({ path }) => path))
  return [
    ...expected.flatMap((artifact) => differenceOf(artifact, onDisk)),
    ...[...onDisk]
      .filter(([path, found]) => !known.has(path) && found.what !== 'folder')
      .map(([path, found]) => unexpected(path, found)),
  ]
}

const REGENERATE = 'run: mergelaw sql --out DIR'

const differenceOf = ({ path, text }: Artifact, onDisk: ReadonlyMap<string, Found>): readonly Difference[] => {
  const there = onDisk.get(path)
  if (there === undefined) {
    const diff = createTwoFilesPatch('/dev/null', path, '', text)
    return [{ path, kind: 'missing', message: `missing: it was never generated here, or was deleted; ${REGENERATE}`, diff }]
  }
  if (there.what !== 'file') {
    const diff = createTwoFilesPatch(`${path} (${there.what})`, `${path} (generated)`, '', text)
    return [
      {
        path,
        kind: 'edited',
        message: `edited by hand: a ${there.what} stands in its place; remove it, then ${REGENERATE}`,
        diff,
      },
    ]
  }
  const found = there.text
  if (found === text) return []
  const diff = createTwoFilesPatch(`${path} (on disk)`, `${path} (generated)`, found, text)
  const reason = staleReason(path, found, text, onDisk)
  return reason === undefined
    ? [{ path, kind: 'edited', message: `edited by hand: move the change into the contract, then ${REGENERATE}`, diff }]
    : [{ path, kind: 'stale', message: `stale: ${reason} since it was generated; ${REGENERATE}`, diff }]
}

const unexpected = (path: string, { what, text }: Found): Difference => ({
  path,
  kind: 'unexpected',
  message: `unexpected: no contract generates this ${what}; delete it, or keep it elsewhere`,
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
const staleReason = (path: string, found: string, text: string, onDisk: ReadonlyMap<string, Found>): string | undefined => {
  const manifest = readManifest(onDisk.get(MANIFEST)?.text)
  if (path === MANIFEST && manifest === undefined) return undefined
  if (contractIn(path, found) !== contractIn(path, text)) return 'the contract changed'
  if (manifest === undefined) return undefined
  const isAsGenerated =
    path === MANIFEST ? isOldManifest(manifest, text, onDisk) : manifest.files[path]?.hash === `sha256:${sha256(found)}`
  return isAsGenerated ? 'the generator changed' : undefined
}

/** Which contract a file says it was generated from. */
const contractIn = (path: string, text: string): string | undefined =>
  path === MANIFEST ? JSON.stringify(readManifest(text)?.contracts) : /^-- .*\bContract (sha256:[0-9a-f]{64})$/m.exec(text)?.[1]

/** An old manifest lists other files than the present one, and those are the files that are there. */
const isOldManifest = (manifest: Manifest, present: string, onDisk: ReadonlyMap<string, Found>): boolean =>
  JSON.stringify(manifest.files) !== JSON.stringify(readManifest(present)?.files) &&
  Object.entries(manifest.files).every(([path, { hash }]) => hash === `sha256:${sha256(onDisk.get(path)?.text ?? '')}`)
