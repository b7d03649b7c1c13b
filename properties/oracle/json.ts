/** Cases as JSON files hold them: an int64 as `{ "int64": "…" }`, everything else as JSON writes it. */

const INT64 = 'int64'

const isInt64 = (value: unknown): value is { readonly [INT64]: string } =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).join() === INT64 &&
  typeof Reflect.get(value, INT64) === 'string'

/** Lone surrogates survive: JSON.stringify escapes them. A field that is undefined is a field that is missing. */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? { [INT64]: String(field) } : field), indent)

export const fromJson = (text: string): unknown =>
  JSON.parse(text, (_, field: unknown) => (isInt64(field) ? BigInt(field[INT64]) : field))
