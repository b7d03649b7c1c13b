import { MergelawError } from '../../errors/index.ts'

/** The only function that quotes identifiers: always, with embedded quotes doubled (hazard 16). */
export const quoteName = (name: string): string => {
  if (name === '' || name.includes('\0')) {
    throw new MergelawError('unsupported', `No database can hold an identifier ${JSON.stringify(name)}.`, { details: { name } })
  }
  return `"${name.replaceAll('"', '""')}"`
}

/** The only function that prints a text literal, where a backslash is a plain character. */
export const quoteText = (text: string): string => {
  if (text.includes('\0')) {
    throw new MergelawError('unsupported', 'A text literal cannot hold U+0000; normalise the value first.', { details: { text } })
  }
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * The same for PostgreSQL. Divergence: there a plain literal's backslashes are read as escapes where standard_conforming_strings is off,
 * which a role or a database may have as its default; one that begins with E reads the same either way.
 */
export const quoteEscaped = (text: string): string =>
  text.includes('\\') ? `E${quoteText(text.replaceAll('\\', '\\\\'))}` : quoteText(text)
