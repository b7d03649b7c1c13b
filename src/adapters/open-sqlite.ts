import { readFile, stat } from 'node:fs/promises'
import { MergelawError } from '../errors/index.ts'
import { sqliteSession } from './better-sqlite3.ts'
import { textProperty } from './errors.ts'
import type { SyncSession } from './session.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

type Closable = SqliteDatabase & { close(): unknown }

/** better-sqlite3's Database, as far as a file is opened by it; bytes are a database in memory. */
type Driver = new (
  source: string | Buffer,
  options: { readonly readonly?: boolean; readonly fileMustExist?: boolean },
) => Closable

interface Opened {
  readonly session: SyncSession
  readonly close: () => void
}

/** Opens a SQLite file. `read` leaves its journal mode alone; a file that may not be written is opened as far as reading it needs. */
export const openSqlite = async (Driver: Driver, path: string, to: 'create' | 'write' | 'read'): Promise<Opened> => {
  try {
    return opened(new Driver(path, { fileMustExist: to !== 'create' }), to === 'read' ? 'keep' : 'wal')
  } catch (error) {
    if (to !== 'read' || !isNotWritable(error)) throw error
  }
  try {
    return opened(new Driver(path, { readonly: true, fileMustExist: true }), 'keep')
  } catch (error) {
    if (!isNotWritable(error)) throw error
    return opened(new Driver(await copyOf(path, error), { readonly: true }), 'keep')
  }
}

/** The first read is made here: only then SQLite looks at the file. */
const opened = (database: Closable, journal: 'wal' | 'keep'): Opened => {
  try {
    const session = sqliteSession(database, { journal })
    // Every checkpoint waits for the disk. A command ends soon, and closing the file makes one anyway: until then 40 MB may wait.
    if (!database.readonly) database.pragma('wal_autocheckpoint = 10000', { simple: true })
    // In KiB: past it, memory grows faster than speed.
    database.pragma('cache_size = -14000', { simple: true })
    database.prepare('SELECT 1 FROM sqlite_master').all([])
    return { session, close: () => void database.close() }
  } catch (error) {
    database.close()
    throw error
  }
}

const isNotWritable = (error: unknown): boolean => {
  const cause = error instanceof MergelawError ? error.cause : error
  return /^SQLITE_(READONLY|CANTOPEN)/.test(textProperty(cause, 'code') ?? '')
}

/**
 * The bytes of a file in WAL mode, for a database in memory: SQLite cannot read such a file where it cannot create a file beside it.
 * Nobody else can be writing to it there; what a writer left in the log beside it would be missed, so that is refused.
 */
const copyOf = async (path: string, cause: unknown): Promise<Buffer> => {
  const log = await stat(`${path}-wal`).catch(() => undefined)
  if (log !== undefined && log.size > 0) {
    const message = `it may not be written, and ${path}-wal holds changes of it: copy both files to a folder that may be written`
    throw new MergelawError('usage', message, { cause })
  }
  const bytes = await readFile(path)
  // The file format's versions for writing and reading: 2 is WAL, 1 is without. https://www.sqlite.org/fileformat.html#file_format_version_numbers
  for (const at of [18, 19]) if (bytes[at] === 2) bytes[at] = 1
  return bytes
}
