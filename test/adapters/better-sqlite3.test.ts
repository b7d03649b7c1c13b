import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { conformance } from '../conformance/conformance.ts'
import type { Harness } from '../conformance/harness.ts'
import { sqliteOnly } from '../conformance/sqlite-only.ts'

const open = async (): Promise<Harness & { readonly db: Database.Database }> => {
  const folder = mkdtempSync(join(tmpdir(), 'mergelaw-sqlite-'))
  const path = join(folder, 'test.db')
  const connections = [new Database(path), new Database(path), new Database(path)] as const
  const [db, second, third] = connections
  return {
    db,
    session: sqliteSession(db, { busyTimeout: 100 }),
    other: sqliteSession(second, { busyTimeout: 100 }),
    async holdLock() {
      third.exec('BEGIN IMMEDIATE')
      return async () => void third.exec('ROLLBACK')
    },
    async close() {
      for (const connection of connections) connection.close()
      rmSync(folder, { recursive: true })
    },
  }
}

conformance('better-sqlite3', open)
sqliteOnly('better-sqlite3', open)
