/** Instants on SQLite, where they are text: every text means the same moment in SQL as in TypeScript, and the boundary is exact. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { afterAll, describe, expect, it } from 'vitest'
import { compileNormalise, defineContract, key, lastNonNull } from '../src/index.ts'
import { DIALECTS } from '../src/sql-render/index.ts'
import { HOSTILE_TEXTS } from './arbitraries/instant-texts.ts'
import { micros, spell, spelling } from './arbitraries/values.ts'
import { assertHolds } from './oracle/check.ts'
import { BOUNDARY_TEXTS, boundsOf, COLUMN_TEXTS, isAtOrAfter, keyTexts } from './oracle/instants.ts'

/** A spelling with some of its characters changed: near misses of every kind, many of them instants still. */
const nearMiss = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      micros(),
      spelling(),
      fc.array(fc.tuple(fc.nat(35), fc.constantFrom(...'0123459:.-+TtzZ \0é'.split(''), '')), { maxLength: 3 }),
    ) // few changes, or none of it is left
    .map(([at, how, changes]) =>
      changes.reduce((text, [place, char]) => text.slice(0, place) + char + text.slice(place + 1), spell(at, how)),
    )

const anyText = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: nearMiss() },
    { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  )

const normalise = compileNormalise(
  defineContract({
    table: 't',
    key: ['id'],
    columns: { id: { type: 'text', rule: key() }, at: { type: 'instant', nullable: true, rule: lastNonNull() } },
  }),
)

/** An instant as the live path reads it; undefined for none. */
const toInstant = (text: string): string | undefined => {
  const read = normalise({ id: 'x', at: text })
  return isRight(read) ? String(read.right.tuple[1]) : undefined
}

/** What the stored form of an instant is; null for none. */
const storedForm = (text: string): string | null => {
  const instant = toInstant(text.toWellFormed())
  return instant === undefined ? null : DIALECTS.sqlite.encodeInstant(instant, 'timestamp')
}

describe('hazard 43: instants on SQLite', () => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, at TIMESTAMP)')
  const insert = db.prepare('INSERT INTO t (at) VALUES (?)')
  const read = db.prepare(`SELECT ${DIALECTS.sqlite.instant('t.at', 'timestamp')} FROM t ORDER BY id`).pluck()
  const momentsOf = (texts: readonly string[]): readonly unknown[] => {
    db.exec('DELETE FROM t')
    for (const text of texts) insert.run(text)
    return read.all()
  }
  afterAll(() => void db.close())

  // Catches: 30 February, hour 24 or second 60 read as the next one; 'now', day numbers, a time alone; garbage after the instant, a
  // second dot, an offset without colon or past 14 hours; a fraction rounded to milliseconds; '0001' compared as a number.
  it('AC-24e: a text is the same moment, or none, in SQL and in TypeScript', () =>
    assertHolds(
      fc.property(fc.array(anyText(), { minLength: 1, maxLength: 60, size: 'max' }), (texts) => {
        // one statement reads them all
        expect(momentsOf(texts)).toEqual(texts.map(storedForm))
      }),
      300,
    ))

  it('hazard 43: each hostile text is none', () => {
    expect(momentsOf(HOSTILE_TEXTS)).toEqual(HOSTILE_TEXTS.map(() => null))
    expect(HOSTILE_TEXTS.map((text) => toInstant(text))).toEqual(HOSTILE_TEXTS.map(() => undefined))
  })

  // Catches: julianday (40 µs), text against another spelling, a key cut instead of rounded up, a raw bound too near for an offset.
  it('AC-24e: pairs 0, 1 and 40 µs apart, in every pair of spellings, classify exactly', () => {
    db.exec('DELETE FROM t')
    for (const { text } of COLUMN_TEXTS) insert.run(text)
    const ids = db.prepare(`SELECT ${DIALECTS.sqlite.atOrAfter('t.at', () => '?')} FROM t ORDER BY id`).pluck()
    for (const key of boundsOf(keyTexts(BOUNDARY_TEXTS))) {
      const bound = DIALECTS.sqlite.encodeInstant(key.since, 'timestamp')
      const expected = COLUMN_TEXTS.map((column) => (isAtOrAfter(column, key) ? 1 : 0))
      expect(ids.all(bound, bound), key.text).toEqual(expected)
      expect(new Set(expected).size, key.text).toBe(2)
    }
  })
})
