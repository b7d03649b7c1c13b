/** A value as an error message quotes it: JSON where it can be, digits with `n` for a bigint, at most 80 characters. */
export const show = (value: unknown): string => {
  const text = typeof value === 'bigint' ? `${value}n` : (safeJson(value) ?? typeof value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

/** Undefined for what has no JSON: functions, symbols, cycles, a bigint inside. */
const safeJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
