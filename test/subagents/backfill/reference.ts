import { describe, expect, it } from 'vitest'
import type { SubagentContext } from '../../../src/subagents/contract.ts'
import { dumpRows } from '../../support/host-database.ts'
import { referenceMessages } from '../../support/reference.ts'
import { type Open, withStore } from './host.ts'

const groups = <T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> => {
  const found = new Map<K, T[]>()
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item])
  return found
}
const present = (rows: readonly SubagentContext[], name: keyof SubagentContext): number =>
  rows.filter((row) => row[name] !== null).length

export const referenceStore = (open: Open): void => {
  describe('the reference store', () => {
    it('AC-21, AC-22: its population by status and its fan-out are the spec’s, and a second run changes nothing', () =>
      withStore(open, async ({ host, backfill, rows }) => {
        await referenceMessages(host)
        expect(await backfill()).toMatchObject({ qualifying: 253, inserted: 253, alreadyPresent: 0 })
        const all = await rows()
        const population = [...groups(all, ({ agent_status }) => agent_status)].map(([status, of]) => [
          status,
          of.length,
          ...(['agent_id', 'child_session_id', 'model', 'total_tokens', 'tool_use_count', 'duration_ms'] as const).map((name) =>
            present(of, name),
          ),
        ])
        expect(population.toSorted((a, b) => Number(b[1]) - Number(a[1]))).toEqual([
          ['async_launched', 190, 190, 0, 190, 0, 0, 0],
          ['completed', 57, 57, 0, 49, 57, 57, 57],
          ['started', 5, 0, 5, 0, 0, 0, 0],
          [null, 1, 0, 0, 0, 0, 0, 0],
        ])
        const perTurn = [...groups(all, ({ task_session_id, turn_id }) => `${task_session_id} ${turn_id}`).values()].map(
          ({ length }) => length,
        )
        const fanOut = [...groups(perTurn, (size) => size)].map(([size, of]) => [size, of.length] as const)
        expect(fanOut.toSorted(([a], [b]) => a - b)).toEqual([
          [1, 65],
          [2, 12],
          [3, 42],
          [4, 5],
          [5, 2],
          [8, 1],
        ])
        const before = await dumpRows(host)
        expect(await backfill()).toMatchObject({ inserted: 0, alreadyPresent: 253 })
        expect(await dumpRows(host)).toEqual(before)
      }))
  })
}
