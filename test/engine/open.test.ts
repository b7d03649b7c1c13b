import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { defineContract, key, openTable, touch } from '../../src/index.ts'
import { openTableTests } from './open.ts'

openTableTests('openTable on SQLite', async () => {
  const db = new Database(':memory:')
  return { session: sqliteSession(db), close: async () => void db.close() }
})

const jobs = defineContract({
  table: 'jobs',
  key: ['kind', 'nr'],
  columns: {
    kind: { type: 'text', rule: key() },
    nr: { type: 'int64', rule: key() },
    seen: { type: 'instant', nullable: true, rule: touch() },
  },
})

/** Another program wrote a row: SQLite takes any text for an instant. */
const holding = (seen: string) => {
  const db = new Database(':memory:')
  const table = openTable(sqliteSession(db), jobs)
  table.create()
  db.prepare('INSERT INTO jobs (kind, nr, seen) VALUES (?, ?, ?)').run('copy', 7n, seen)
  return table
}

describe('hazard 43: what other programs wrote', () => {
  // Catches: an error that names the column and leaves one to search for the row.
  it('hazard 43: an unreadable value is an error that names the row', () => {
    const table = holding('soon')
    table.upsert({ kind: 'copy', nr: 8n })
    expect(() => table.list()).toThrow(
      expect.objectContaining({
        code: 'unsupported-value',
        message: 'jobs.seen holds "soon", which is no timestamp, in the row with kind = "copy", nr = 7n. Correct the stored row.',
        details: { table: 'jobs', column: 'seen', value: 'soon', key: { kind: 'copy', nr: 7n } },
      }),
    )
  })

  // Catches: WHERE that compares the stored text with the canonical spelling.
  it.each(['2026-08-03 15:32:20.5', '2026-08-03T17:32:20.500000+02:00'])(
    'hazard 43: list finds the moment stored as %s',
    (seen) => {
      expect(holding(seen).list({ seen: '2026-08-03T15:32:20.500000Z' })).toHaveLength(1)
      expect(holding(seen).list({ seen: '2026-08-03T15:32:20.500001Z' })).toEqual([])
    },
  )
})
