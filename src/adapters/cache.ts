/** A function whose newest `size` answers are kept; when it is full, the oldest is forgotten and made again when asked for. */
export const keepNewest = <V>(size: number, make: (text: string) => V): ((text: string) => V) => {
  const kept = new Map<string, V>()
  return (text) => {
    const found = kept.get(text)
    if (found !== undefined) return found
    const made = make(text)
    const oldest = kept.size < size ? undefined : kept.keys().next().value
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(text, made)
    return made
  }
}
