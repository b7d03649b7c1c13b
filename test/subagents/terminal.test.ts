import { expect, it } from 'vitest'
import { isTerminalToolStatus, TERMINAL_TOOL_STATUSES } from '../../src/subagents/index.ts'
import { specText } from '../support/spec.ts'

const PINNED = ['complete', 'completed', 'success', 'error', 'failed', 'cancelled']

it('AC-11: the terminal set is exactly the six values of the spec, and the function agrees with it', () => {
  const sentence = /The terminal set is exactly these \*\*six\*\* values: ([^.]+)\./.exec(specText() ?? '')?.[1]
  const inSpec = sentence === undefined ? PINNED : [...sentence.matchAll(/`(\w+)`/g)].map((match) => match[1])
  expect(inSpec).toEqual(PINNED)
  expect(TERMINAL_TOOL_STATUSES).toEqual(inSpec)
  expect(
    [...inSpec, 'pending', 'in_progress', '', 'COMPLETED', 'constructor', null].filter((s) => isTerminalToolStatus(s ?? null)),
  ).toEqual(PINNED)
})
