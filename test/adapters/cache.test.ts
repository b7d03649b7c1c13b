import { expect, it } from 'vitest'
import { keepNewest } from '../../src/adapters/cache.ts'

// Catches: a cache that grows for ever, one that never hits, and one that forgets what is newest.
it('adapter: the newest answers are kept and the oldest forgotten', () => {
  const made: string[] = []
  const get = keepNewest(2, (text) => made.push(text))
  for (const text of ['a', 'b', 'b', 'a', 'c', 'b', 'a']) get(text)
  expect(made).toEqual(['a', 'b', 'c', 'a'])
})
