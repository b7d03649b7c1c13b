/**
 * When a value that was sent means "not reported" (AC-7a, AC-9).
 *
 * `empty`: the empty text. `zero`: exactly 0. `negative`: below 0, counted as an anomaly. `marker`: a reserved text (hazard 5).
 */
export type AbsentRule = 'empty' | 'zero' | 'negative' | { readonly marker: string }

export type TextAbsent = 'empty' | { readonly marker: string }
export type Int64Absent = 'zero' | 'negative'
