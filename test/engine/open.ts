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
