/**
 * Orders two texts by code point, which is the order of their UTF-8 bytes: what SQLite's BINARY and PostgreSQL's "C" collation do.
 *
 * `<` on JavaScript strings compares UTF-16 units instead, and so puts U+FFFD before U+1F600 but U+FF5E after it.
 * Text must be well formed (no lone surrogates), as all text that went through the normaliser is.
 */
export const compareCodePoints = (a: string, b: string): number => {
  if (a === b) return 0 // the engine sees that faster than the loop
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates (D800–DFFF) belong to code points above U+FFFF, so they rank above the units E000–FFFF. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
