/** Instants: every legal spelling of one moment is one canonical text, and the databases read the same. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalText, micros, spell, spelling } from '../../properties/arbitraries/values.ts'
import { readInstant, toInstant } from '../../src/util/instant.ts'

const anySpelling = () => fc.tuple(micros(), spelling())

describe('hazard 43: instants', () => {
  // Catches: a fraction rounded or cut short, an offset added instead of taken away, local time where there is no zone.
  it('hazard 43: every spelling of a moment is one text', () => {
    fc.assert(
      fc.property(anySpelling(), ([at, how]) => {
        expect(toInstant(spell(at, how))).toBe(canonicalText(at))
      }),
      { numRuns: 3_000 },
    )
  })

  // Catches: a canonical text that does not compare as the moment does.
  it('hazard 43: canonical texts compare as the moments do', () => {
    fc.assert(fc.property(micros(), micros(), (a, b) => a < b === canonicalText(a) < canonicalText(b)))
  })

  // Catches: a seconds part that SQLite reads as another one.
  it('hazard 43: SQLite reads the same second of every spelling it knows', () => {
    const read = new Database(':memory:').prepare("SELECT strftime('%Y-%m-%dT%H:%M:%S', ?)").pluck()
    fc.assert(
      fc.property(anySpelling(), ([at, how]) => {
        // SQLite knows only T and Z in capitals, and rounds the third digit up into the next second: so no fraction here.
        const text = spell(at - (((at % 1_000_000n) + 1_000_000n) % 1_000_000n), { ...how, digits: 0 }).toUpperCase()
        expect(read.get(text)).toBe(readInstant(text)?.seconds)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['2026-02-29T00:00:00Z', 'no leap year'],
    ['2026-02-30T00:00:00.000000Z', 'canonical width, no such day'],
    ['2026-04-31T00:00:00.000000Z', 'canonical width, no such day'],
    ['2026-13-01T00:00:00.000000Z', 'no such month'],
    ['2026-08-03T24:00:00.000000Z', 'no such hour'],
    ['2026-08-03T15:60:00.000000Z', 'no such minute'],
    ['2026-08-03T15:32:20,123456Z', 'a comma'],
    ['2026-08-03T15:32:20.Z', 'a point without digits'],
    ['2026-08-03T15:32:20.123456789aZ', 'a letter in the fraction'],
    ['2026-08-03T15:32Z', 'no seconds'],
    ['2026-08-03', 'a date'],
    ['0000-12-31T23:59:59Z', 'a year no database has'],
    ['0001-01-01T00:00:00+00:01', 'a year no database has, in UTC'],
    ['9999-12-31T23:59:59-00:01', 'a year past the last'],
    [' 2026-08-03T15:32:20Z', 'a space before'],
    ['2026-08-03T15:32:20Z\n', 'a line end'],
    ['2026-08-03T15:32:20+5:30', 'an offset of one digit'],
    ['infinity', 'what PostgreSQL calls a timestamp'],
    ['', 'nothing'],
  ])('hazard 43: %j is no instant (%s)', (text) => {
    expect(toInstant(text)).toBeUndefined()
  })

  it('AC-1a: RFC 3339 needs an offset', () => {
    expect(toInstant('2026-08-03 15:32:20', true)).toBeUndefined()
    expect(toInstant('2026-08-03 15:32:20')).toBe('2026-08-03T15:32:20.000000Z')
  })
})
