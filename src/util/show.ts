/** A value as an error message quotes it: JSON where it can be, digits with `n` for a bigint, at most 80 characters. */
export const show = (value: unknown): string => {
  const text = textOf(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

/** Whatever was sent, a message can be made of it: integers past 2^53 inside an object, a cycle, an object with code of its own. */
const textOf = (value: unknown): string => {
  if (typeof value === 'bigint') return `${value}n`
  try {
    return JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? String(value)
  } catch {
    return `a value of type ${typeof value}`
  }
}
