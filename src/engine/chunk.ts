/**
 * Cuts a list into chunks of at most `size`, in order, and sooner where a key would stand twice in one chunk: PostgreSQL refuses a
 * statement that touches one row twice (21000, hazard 44). Without `keyOf` the keys are known to differ.
 */
export const chunksOf = <T>(list: readonly T[], size: number, keyOf?: (item: T) => string): readonly (readonly T[])[] => {
  const chunks: T[][] = []
  const keys = new Set<string>()
  for (const item of list) {
    const key = keyOf?.(item)
    const last = chunks.at(-1)
    const isFull = last === undefined || last.length >= size || (key !== undefined && keys.has(key))
    if (isFull) {
      chunks.push([item])
      keys.clear()
    } else last.push(item)
    if (key !== undefined) keys.add(key)
  }
  return chunks
}
