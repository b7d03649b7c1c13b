/**
 * The declared policy for text that a database cannot hold: U+0000 and lone surrogates become U+FFFD.
 *
 * PostgreSQL refuses U+0000 (22021), SQLite keeps it; ill-formed UTF-16 cannot be encoded as UTF-8 at all. Both databases and the
 * reducer must agree, and a row is never lost for one character (hazard 37).
 */
export const storableText = (text: string): string => {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed
}
