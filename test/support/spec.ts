import { existsSync, readFileSync } from 'node:fs'

const SPEC = new URL('../../../shared/spec/subagent-context-persistence.md', import.meta.url)

/** The spec's text where this checkout lies beside it; elsewhere undefined, and a test compares with what is pinned here alone. */
export const specText = (): string | undefined => (existsSync(SPEC) ? readFileSync(SPEC, 'utf8') : undefined)
