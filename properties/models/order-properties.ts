/** One property per rule about the order of commits; each takes the player that is to be believed. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { type FrameJson, frames } from '../arbitraries/frames.ts'
import type { Player } from '../oracle/players.ts'
import { BY_ORDER, columnsOf, dated, IN_ANY_ORDER, type Life, livesOf, ONCE_HELD, type Rule } from './order.ts'

export interface Reordered {
  readonly frames: readonly FrameJson[]
  readonly order: readonly number[]
}

const reordered = (): fc.Arbitrary<Reordered> =>
  frames()
    .map(dated)
    .chain((sent) => {
      const positions = sent.map((_, at) => at)
      return fc
        .shuffledSubarray(positions, { minLength: positions.length, maxLength: positions.length }) // a permutation
        .map((order) => ({ frames: sent, order }))
    })

/** `order` is a permutation of the positions, so each is there. */
const inOrder = (sent: readonly FrameJson[], order: readonly number[]): readonly FrameJson[] =>
  order.map((at) => sent[at] as FrameJson)

const lastHeld = (lives: ReadonlyMap<string, Life>, read: (row: Life['held'][number]) => unknown) =>
  Object.fromEntries([...lives].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, { held }]) => [key, read(held.at(-1) ?? {})]))

/** The same keys, and the same of each row, whatever the order. */
export const inAnyOrder = (player: Player, rule: Rule) =>
  fc.asyncProperty(reordered(), async ({ frames: sent, order }) => {
    const say = (row: Life['held'][number]) => columnsOf(rule).map((column) => IN_ANY_ORDER[rule](row, column))
    const one = await livesOf(player, sent)
    const other = await livesOf(player, inOrder(sent, order))
    expect(lastHeld(other, say)).toStrictEqual(lastHeld(one, say))
  })

/** After every frame, each column is what the rule says of the frames so far, in the order they committed. */
export const byOrder = (player: Player, rule: Rule) =>
  fc.asyncProperty(reordered(), async ({ frames: sent, order }) => {
    const lives = await livesOf(player, inOrder(sent, order))
    for (const { own, held } of lives.values()) {
      expect(held).toHaveLength(own.length)
      for (const column of columnsOf(rule)) {
        for (const [at, row] of held.entries())
          expect(row[column], column).toStrictEqual(BY_ORDER[rule](own.slice(0, at + 1), column))
      }
    }
  })

/** Once a value is held that the rule keeps, every later state holds it. */
export const keepsOnceHeld = (player: Player, rule: Rule) =>
  fc.asyncProperty(reordered(), async ({ frames: sent, order }) => {
    for (const { held } of (await livesOf(player, inOrder(sent, order))).values()) {
      for (const column of columnsOf(rule)) {
        const kept = held.map((row) => ONCE_HELD[rule]?.(row, column) ?? null)
        const since = kept.findIndex((value) => value !== null)
        if (since >= 0) expect(kept.slice(since), column).toStrictEqual(kept.slice(since).fill(kept[since] ?? null))
      }
    }
  })
