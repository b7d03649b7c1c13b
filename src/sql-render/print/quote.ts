import { MergelawError } from '../../errors/index.ts'

/** The only function that quotes identifiers: always, with embedded quotes doubled (hazard 16). */
export const quoteName = (name: string): string => {
  if (name === '' || name.includes('\0')) {
    throw new MergelawError('unsupported', `No database can hold an identifier ${JSON.stringify(name)}.`, { details: { name } })
  }
  return `"${name.replaceAll('"', '""')}"`
}

/** The only function that prints a text literal. Backslashes are plain characters in both databases (standard_conforming_strings). */
export const quoteText = (text: string): string => {
  if (text.includes('\0')) {
    throw new MergelawError('unsupported', 'A text literal cannot hold U+0000; normalise the value first.', { details: { text } })
  }
  return `'${text.replaceAll("'", "''")}'`
}
