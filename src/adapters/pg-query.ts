import { createHash } from 'node:crypto'
import { MergelawError } from '../errors/index.ts'
import { checkParams } from './bind.ts'
import { keepNewest } from './cache.ts'
import type { Place } from './errors.ts'
import type { SqlValue } from './program.ts'

/** What the session hands to `client.query`. */
export interface PgQuery {
  text: string
  values?: (string | null)[]
  name?: string
  queryMode?: 'extended'
  rowMode: 'array'
  types: { getTypeParser(oid: number, format?: string): (value: string) => unknown }
}

export interface PgResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly unknown[]
}

/** The slice of a pg Client that the session uses. */
export interface PgClient {
  query(query: PgQuery): Promise<PgResult | readonly PgResult[]>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  /** 'I' outside a transaction, 'T' inside, 'E' inside a failed one. */
  getTransactionStatus?(): string | null
}

/** Values as the server wrote them. A client set to binary results would deliver bytes instead, which no decoder reads. */
const RAW_TEXT: PgQuery['types'] = { getTypeParser: (_oid, format) => (format === 'binary' ? refuseBinary : (value) => value) }

const refuseBinary = (): never => {
  throw new MergelawError(
    'usage',
    'The pg client asks for binary results, which are not supported. Connect it without `binary: true`.',
  )
}

/** A text without parameters, through the simple protocol: it may hold several statements. */
export const simple = (text: string): PgQuery => ({ text, types: RAW_TEXT, rowMode: 'array' })

/** Hazard 49: past this the protocol's count wraps around, and the server's error blames the client. */
const MAX_PARAMS = 65_535

/** One statement with its parameters, as text; prepared by name when asked for. */
export const bound = (place: Place & { readonly sql: string }, params: readonly SqlValue[], prepare: boolean): PgQuery => {
  checkParams(place, params)
  if (params.length > MAX_PARAMS) {
    const message = `"${place.step}" failed: it binds ${params.length} parameters, and PostgreSQL takes ${MAX_PARAMS}. Split it into smaller chunks.`
    throw new MergelawError('unsupported-value', message, { details: { ...place, parameters: params.length } })
  }
  const values = params.map((value) => (typeof value === 'bigint' ? value.toString() : value))
  // pg copies this object property by property; a named statement needs no queryMode, it is always prepared.
  return prepare
    ? { text: place.sql, values, name: statementName(place.sql), types: RAW_TEXT, rowMode: 'array' }
    : { text: place.sql, values, queryMode: 'extended', types: RAW_TEXT, rowMode: 'array' }
}

const NAMES_KEPT = 1000

/** One name per text: pg refuses a name that stands for two texts, and the server cuts names at 63 bytes. */
const statementName = keepNewest(NAMES_KEPT, (sql) => `mergelaw_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`)
