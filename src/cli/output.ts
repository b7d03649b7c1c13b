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

/** Writes rows as they come, one a line or as one JSON array. */
export const printRows = async (rows: AsyncIterable<string> | Iterable<string>, asArray: boolean): Promise<void> => {
  let part: string[] = []
  let isFirst = true
  const flush = async (): Promise<void> => {
    const text = asArray ? `${isFirst ? '[' : ','}${part.join(',')}` : `${part.join('\n')}\n`
    part = []
    isFirst = false
    await print(text)
  }
  for await (const row of rows) {
    part.push(row)
    if (part.length >= ROWS_A_WRITE) await flush()
  }
  if (part.length > 0 || (asArray && isFirst)) await flush()
  if (asArray) await print(']\n')
}

const ROWS_A_WRITE = 500

/** Waits while the reader is slower than we are, so that no output piles up in memory. */
export const print = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
