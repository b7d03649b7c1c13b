import type { Group, Tuple, Value } from '../rules/index.ts'
import { compareCodePoints } from '../util/code-points.ts'

/** Orders groups by their whole key, text by UTF-8 bytes: two writers then lock rows in one order (hazard 47). */
export const sortByKey = (groups: readonly Group[], keyAt: readonly number[]): readonly Group[] =>
  groups.toSorted((a, b) => {
    for (const at of keyAt) {
      const order = compareValues(a.row[at] ?? null, b.row[at] ?? null)
      if (order !== 0) return order
    }
    return 0
  })

const compareValues = (a: Value, b: Value): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b)
  return a === b ? 0 : Number(a) < Number(b) || (typeof a === 'bigint' && typeof b === 'bigint' && a < b) ? -1 : 1
}

/**
 * Cuts groups into chunks of at most `size`, in order, and sooner where a key would stand twice in one chunk: PostgreSQL refuses
 * a statement that touches one row twice (21000, hazard 44).
 */
export const chunksOf = (
  groups: readonly Group[],
  size: number,
  keyOf: (row: Tuple) => string,
): readonly (readonly Group[])[] => {
  const chunks: Group[][] = []
  let keys = new Set<string>()
  for (const group of groups) {
    const key = keyOf(group.row)
    const last = chunks.at(-1)
    if (last === undefined || last.length >= size || keys.has(key)) {
      chunks.push([group])
      keys = new Set([key])
    } else {
      last.push(group)
      keys.add(key)
    }
  }
  return chunks
}
