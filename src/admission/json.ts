import { LosslessNumber, parse } from 'lossless-json'
import { MergelawError } from '../errors/index.ts'
import { quotedPath, shortened } from './names.ts'

/** A JSON object whose numbers are still the digits that were written: it can be written back without losing any. */
export type Fields = Readonly<Record<string, unknown>>

/** One document read twice: `value` as JavaScript sees it, `fields` with every number as it was spelled. */
export type JsonObject = Readonly<{ value: Readonly<Record<string, unknown>>; fields: Fields }>

export const malformed = (file: string, why: string, cause?: unknown): MergelawError =>
  new MergelawError('malformed-metadata', `${quotedPath(file)} is malformed: ${why}`, { details: { file, why }, cause })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`)

/** Reads the bytes as UTF-8 without replacing anything: a replaced byte would be lost when the file is written again. */
function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw malformed(file, 'it is not UTF-8', cause)
  }
}

/**
 * Reads one JSON object. Throws `malformed-metadata` for anything else, and for a key that stands twice with different
 * values: two readers could take it for two different runs.
 */
export function readJsonObject(bytes: Uint8Array, file: string): JsonObject {
  const text = textOf(bytes, file)
  const [value, fields] = parsed(text, file)
  if (!isObject(value) || !isObject(fields)) throw malformed(file, `it holds ${kindOf(value)} where an object belongs`)
  return { value, fields }
}

/** Metadata nests a few levels. Everything that walks a record calls itself, so a deeper one is refused before it is walked. */
export const DEEPEST = 500

/** True when brackets nest deeper than the limit: one pass without recursion, over text that need not be JSON. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at]
    if (mark === '"') isInText = !isInText
    else if (isInText) at += mark === '\\' ? 1 : 0
    else if (mark === '[' || mark === '{') depth += 1
    else if (mark === ']' || mark === '}') depth -= 1
    if (depth > DEEPEST) return true
  }
  return false
}

function parsed(text: string, file: string): readonly [unknown, unknown] {
  if (isTooDeep(text)) throw malformed(file, `it is nested more than ${DEEPEST} levels deep`)
  try {
    return [JSON.parse(text), parse(text)]
  } catch (cause) {
    if (cause instanceof RangeError) throw malformed(file, 'it is nested too deeply for the stack that is left here', cause)
    throw malformed(file, cause instanceof Error ? shortened(cause.message) : 'it is not JSON', cause)
  }
}

/**
 * Writes a JSON object, numbers digit for digit.
 *
 * Ours and not lossless-json's `stringify`: that one takes any object with a truthy `isLosslessNumber` field for a number, and an
 * unknown field of that name would come out as `[object Object]`.
 */
export function writeJson(value: unknown, indent = '', at = ''): string {
  if (value instanceof LosslessNumber) return value.value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = at + indent
  const [open, shut] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((item: unknown) => writeJson(item, indent, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${indent && ' '}${writeJson(item, indent, inner)}`)
  if (parts.length === 0 || indent === '') return `${open}${parts.join(',')}${shut}`
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${at}${shut}`
}
