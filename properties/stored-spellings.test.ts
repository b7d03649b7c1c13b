/** Rows that other programs wrote into SQLite, instants in any spelling: read, ordered and merged as the moments they are. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sqliteSession } from '../src/adapters/better-sqlite3.ts'
import { defineContract, tableOf } from '../src/index.ts'
import { canonicalText, micros, spell, spelling } from './arbitraries/values.ts'
import { assertHolds } from './oracle/check.ts'

const contract = defineContract({
  table: 't',
  key: ['k'],
  columns: {
    k: { type: 'int64', rule: { kind: 'key' } },
    at: { type: 'instant', nullable: true, rule: { kind: 'touch' } },
    first: { type: 'instant', nullable: true, rule: { kind: 'firstNonNull' } },
  },
  readOrder: ['at', 'k'],
})

/** Other programs write `T`, `t` or a space, `Z`, `z`, any offset or nothing, any number of digits. */
const stored = () => fc.tuple(micros(), fc.oneof(spelling(), farZone())).map(([at, how]) => ({ at, text: spell(at, how) }))

/** No place on earth, and RFC 3339 all the same: SQLite's own parser ends at 14 hours. */
const farZone = () =>
  fc
    .tuple(spelling(), fc.constantFrom(['+23:59', 1_439] as const, ['-15:00', -900] as const))
    .map(([how, [zone, offset]]) => ({ ...how, zone, offset }))

describe('hazard 43: instants as others spell them', () => {
  const db = new Database(':memory:')
  const session = sqliteSession(db)
  const table = tableOf(contract, 'sqlite')
  session.run(table.create())
  const insert = db.prepare('INSERT INTO t (k, at, first) VALUES (?, ?, ?)')

  const withRows = (rows: readonly { readonly text: string }[]): void => {
    db.exec('DELETE FROM t')
    for (const [at, { text }] of rows.entries()) insert.run(at, text, text)
  }

  // Catches: an ORDER BY on the text, a decoder that keeps the spelling.
  it('hazard 43: rows are read in the order of their moments, each as canonical text', () =>
    assertHolds(
      fc.property(fc.array(stored()), (rows) => {
        withRows(rows)
        const expected = rows
          .map(({ at }, k) => ({ at, row: [BigInt(k), canonicalText(at), canonicalText(at)] }))
          .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : Number(a.row[0]) - Number(b.row[0])))
        expect(session.run(table.list())).toEqual(expected.map(({ row }) => row))
      }),
      500,
    ))

  // Catches: `touch` that compares spellings, so that an older row wins by its `T`; firstNonNull that respells what it keeps.
  it('hazard 43: touch keeps the newer moment, whatever the stored spelling; firstNonNull keeps the stored one', () =>
    assertHolds(
      fc.property(fc.tuple(stored(), micros()), ([row, incoming]) => {
        withRows([row])
        session.run(table.upsert([0n, canonicalText(incoming), canonicalText(incoming)]))
        const newest = [canonicalText(row.at), canonicalText(incoming)].toSorted().at(-1)
        expect(session.run(table.list())).toEqual([[0n, newest, canonicalText(row.at)]])
        expect(db.prepare('SELECT first FROM t').pluck().get()).toBe(row.text)
      }),
      1_000,
    ))
})
