import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Session } from '../../src/adapters/session.ts'
import { defineContract, key, lastNonNull, lastValue, openTable, touch } from '../../src/index.ts'

const jobs = defineContract({
  table: 'open table',
  key: ['id'],
  columns: {
    id: { type: 'text', rule: key() },
    state: { type: 'text', nullable: true, rule: lastNonNull() },
    seen: { type: 'instant', rule: touch() },
    size: { type: 'int64', nullable: true, rule: lastValue() },
  },
})

const at = (second: number): string => `2026-08-03T15:32:0${second}.000001Z`

/** What a user of any contract meets first, on any session. */
export const openTableTests = (name: string, makeSession: () => Promise<{ session: Session; close(): Promise<void> }>): void => {
  describe(name, () => {
    let opened: Awaited<ReturnType<typeof makeSession>>
    const table = () => openTable(opened.session, jobs)
    beforeAll(async () => {
      opened = await makeSession()
      await table().create()
    })
    afterAll(() => opened.close())

    // Catches: a row that is stored as it came, an absent value that blanks, a list out of order.
    it('hazard 1: rows merge, and come back typed and in read order', async () => {
      await table().upsert({ id: 'b', state: 'new', seen: at(2), size: 5n })
      await table().upsert({ id: 'a', seen: at(1), size: 2n ** 63n - 1n })
      await table().upsert({ id: 'b', state: '', seen: at(1), size: null })
      expect(await table().list()).toEqual([
        { id: 'a', state: null, seen: at(1), size: 2n ** 63n - 1n },
        { id: 'b', state: 'new', seen: at(2), size: null },
      ])
    })

    // Catches: `= NULL`, which is never true.
    it('hazard 9: list finds by value and by NULL', async () => {
      expect((await table().list({ state: null })).map(({ id }) => id)).toEqual(['a'])
      expect((await table().list({ state: 'new', seen: at(2) })).map(({ id }) => id)).toEqual(['b'])
      expect(await table().list({ state: 'none' })).toEqual([])
    })

    // Catches: a batch that dies with its worst row, positions counted after the refused rows were taken out.
    it('hazard 9: upsertAll names the rows it refused by position, and stores the others', async () => {
      const refused = await table().upsertAll([
        { id: '', seen: at(3), size: null },
        { id: 'c', seen: at(3), size: 1n },
        { id: 'd', seen: 'yesterday', size: null },
        { id: 'c', state: 'done', seen: at(4), size: 2n },
      ])
      expect(refused.map(({ at: position, error }) => [position, error.code])).toEqual([
        [0, 'row'],
        [2, 'row'],
      ])
      expect(refused[1]?.error.message).toContain('open table.seen: "yesterday" is no instant')
      expect(await table().list({ id: 'c' })).toEqual([{ id: 'c', state: 'done', seen: at(4), size: 2n }])
    })

    // Catches: a row that is read before it is known to be one, which ends the call and stores nothing.
    it('hazard 9: upsertAll counts what is no object as one more refused row', async () => {
      const row = { id: 'f', seen: at(3), size: null }
      const nothing: unknown[] = [null, undefined, 'f', 5n, [row], () => row]
      const refused = await table().upsertAll([row, ...nothing, { ...row, id: 'g' }] as (typeof row)[])
      expect(refused.map(({ at: position, error }) => [position, error.code])).toEqual(
        nothing.map((_, index) => [index + 1, 'row']),
      )
      expect(refused[0]?.error.message).toBe('open table: null is no row; send an object with a field for each column')
      expect((await table().list()).map(({ id }) => id)).toEqual(expect.arrayContaining(['f', 'g']))
    })

    // Catches: values compared as they were sent, and not as they are stored.
    it('hazard 37: list finds what is stored, in whatever form it is asked for', async () => {
      await table().upsert({ id: 'z\0\ud800', state: 'odd', seen: at(5), size: 7n })
      const found = async (where: object) => (await table().list(where)).map(({ state }) => state)
      expect(await found({ id: 'z\0\ud800' })).toEqual(['odd'])
      expect(await found({ state: 'odd', seen: '2026-08-03 17:32:05.000001+02:00' })).toEqual(['odd'])
      expect(await found({ state: 'odd', seen: '2026-08-03T15:32:05.0000014Z', size: 7 })).toEqual(['odd'])
      expect(await found({ state: 'odd', seen: at(4) })).toEqual([])
      expect(await found({ state: 'odd', size: undefined })).toEqual(['odd'])
    })

    // Catches: a name that reaches the SQL, a value of another type that finds nothing without a word.
    it.each([
      [{ stat: 'x' }, 'usage', 'open table: there is no column "stat" to look in.'],
      [{ constructor: 'x' }, 'usage', 'open table: there is no column "constructor" to look in.'],
      [{ state: 5 }, 'row', 'open table.state: 5 is no text'],
      [{ size: 0.5 }, 'row', 'open table.size: 0.5 is no 64-bit integer'],
      [{ size: 2n ** 63n }, 'row', 'open table.size: 9223372036854775808n is no 64-bit integer'],
      [{ seen: 'yesterday' }, 'row', 'open table.seen: "yesterday" is no instant'],
      [null, 'usage', 'open table: null names no columns'],
    ])('hazard 37: list refuses %o', async (where, code, message) => {
      const act = async () => table().list(where as object)
      await expect(act()).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string })
    })

    // Catches: an answer that nobody reads as the only sign that nothing was stored.
    it('hazard 8: upsertAll throws what is no row’s fault, and names the rows that are not stored', async () => {
      const missing = openTable(opened.session, { ...jobs, table: 'not there' })
      const act = async () => missing.upsertAll([{ id: '', seen: at(1), size: null }, { id: 'x', seen: at(1), size: null }]) // biome-ignore format: one line
      await expect(act()).rejects.toMatchObject({ code: 'missing-table', details: { positions: [1] } })
    })

    // Catches: a row that is half checked and then written.
    it('hazard 4: a row without a value it needs is refused before any statement runs', async () => {
      const act = async () => table().upsert({ id: 'e', seen: '', size: null })
      await expect(act()).rejects.toMatchObject({ code: 'row', message: expect.stringContaining('seen') as string })
      expect(await table().list({ id: 'e' })).toEqual([])
    })
  })
}
