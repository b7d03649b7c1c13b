import { once } from 'node:events'
import { stringify } from 'lossless-json'
import { type SubagentContext, subagentContexts } from '../subagents/index.ts'

const columns = Object.keys(subagentContexts.columns)

/**
 * A row as JSON, without spaces, in the contract's column order: int64 as a bare number with all its digits (`JSON.stringify` knows no
 * bigint), a bool as true or false, an instant as RFC 3339 UTC with six digits.
 */
export const rowJson = (row: SubagentContext, omit: readonly string[] = []): string => {
  const fields = columns
    .filter((name) => !omit.includes(name))
    // Every column of the contract is a property of its row.
    .map((name) => `${JSON.stringify(name)}:${valueJson(row[name as keyof SubagentContext])}`)
  return `{${fields.join(',')}}`
}

const valueJson = (value: string | bigint | boolean | null): string =>
  typeof value === 'bigint' ? value.toString() : JSON.stringify(value)

/** Writes one JSON document. */
export const printJson = (document: unknown): Promise<void> => print(`${JSON.stringify(document)}\n`)

/** One JSON document with int64 as a bare number, all its digits. */
export const documentJson = (document: unknown): string => `${stringify(document) ?? 'null'}\n`

/** Writes rows one a line, or as one JSON array. */
export const printRows = async (rows: readonly string[], asArray: boolean): Promise<void> => {
  if (asArray) await print('[')
  for (let at = 0; at < rows.length; at += ROWS_A_WRITE) {
    const part = rows.slice(at, at + ROWS_A_WRITE)
    await print(asArray ? `${at === 0 ? '' : ','}${part.join(',')}` : `${part.join('\n')}\n`)
  }
  if (asArray) await print(']\n')
}

const ROWS_A_WRITE = 500

/** Waits while the reader is slower than we are, so that no output piles up in memory. */
export const print = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
