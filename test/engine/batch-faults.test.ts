import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe } from 'vitest'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { batchFaults } from './batch-faults.ts'

describe('batches and faults on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mergelaw-'))
  const open: Database.Database[] = []
  afterAll(() => {
    for (const db of open) db.close()
    rmSync(folder, { recursive: true })
  })
  batchFaults(() => {
    const db = new Database(join(folder, 'batch.db'))
    open.push(db)
    return sqliteSession(db)
  })
})
