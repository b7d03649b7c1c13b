import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { decodeFrame, parseFrameText } from '../../src/subagents/index.ts'
import { frameOf } from './live/harness.ts'

/** A frame's text with one metric written as given. */
const textWith = (metric: string): string =>
  `{"task_session_id":"s","task_id":"t","tool_call_id":"c","normalized":{"kind":"subagent_task","subagent_task":{"total_tokens":${metric}}}}`

const decodeText = (text: string) => {
  const parsed = parseFrameText(text)
  return isLeft(parsed) ? parsed : decodeFrame(parsed.right)
}

const problemsOf = (decoded: ReturnType<typeof decodeFrame>) =>
  isLeft(decoded) && decoded.left.outcome === 'rejected' ? decoded.left.problems : undefined

describe('metrics as they are written', () => {
  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['-5', -5n],
    ['999999999999999', 999_999_999_999_999n],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['null', null],
    ['""', null],
  ])('int64: %s keeps every digit', (written, value) => {
    const decoded = decodeText(textWith(written))
    expect(isRight(decoded) ? decoded.right.subagent.total_tokens : decoded).toBe(value)
  })

  it.each([
    '12.5',
    '12.0',
    '1e3',
    '1E3',
    '-0.0',
    '1.0e2',
    '1e400',
    '9223372036854775808',
    '-9223372036854775809',
    '"12"',
    'true',
    '[]',
    '{}',
  ])('rejected: %s is no integer as written within int64', (written) => {
    const [problem] = problemsOf(decodeText(textWith(written))) ?? []
    expect(problem?.field).toBe('normalized.subagent_task.total_tokens')
    expect(problem?.message).toContain(`: ${written}`)
  })

  it.each([' 12.0', '\t1e3', '  12.0  '])('rejected: %j, whatever blanks stand around it', (written) => {
    expect(problemsOf(decodeText(textWith(written)))).toHaveLength(1)
  })

  it('rejected: 12.0 under a name written with escapes', () => {
    expect(problemsOf(decodeText(textWith('1').replace('"total_tokens":1', '"total\\u005ftokens":12.0')))).toHaveLength(1)
  })

  it('int64: a number that an object already holds is taken only while it is exact', () => {
    const unsafe = decodeFrame(frameOf({ subagent: { total_tokens: 2 ** 53 } }))
    expect(problemsOf(unsafe)).toHaveLength(1)
    const exact = decodeFrame(frameOf({ subagent: { total_tokens: 2 ** 53 - 1 } }))
    expect(isRight(exact) && exact.right.subagent.total_tokens).toBe(2n ** 53n - 1n)
  })
})

describe('the text of a frame', () => {
  it('of a duplicate name the last wins, with and without long numbers in the line', () => {
    for (const more of ['', ',"x":12345678901234567890']) {
      const decoded = decodeText(textWith('1').replace('"task_id":"t"', `"task_id":"first","task_id":"last"${more}`))
      expect(isRight(decoded) && decoded.right.task_id).toBe('last')
    }
  })

  it('a field named __proto__ lends nothing to the frame and nothing to other objects', () => {
    for (const more of ['', ',"x":12345678901234567890']) {
      const decoded = decodeText(`{"__proto__":{"task_id":"lent","polluted":1},"normalized":{"kind":"subagent_task"}${more}}`)
      expect(isRight(decoded) && decoded.right.task_id).toBeNull()
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
    }
  })

  it.each(['', '{', '{"a":1}x', "{'a':1}", '\u0000', 'NaN', '{"a":01}', '{"a":1,}'])('rejected: %j is bad JSON', (text) => {
    const parsed = parseFrameText(text)
    expect(isLeft(parsed) && parsed.left.problems[0]?.message).toContain('bad JSON')
  })

  it('a nesting of any depth is answered', () => {
    const deep = (more: string): string =>
      textWith('1').replace('"task_id"', `"unknown":${'['.repeat(100_000)}${']'.repeat(100_000)}${more},"task_id"`)
    expect(isRight(decodeText(deep('')))).toBe(true)
    const parsed = parseFrameText(deep(',"x":12345678901234567890'))
    expect(isLeft(parsed) && parsed.left.problems[0]?.message).toContain('too deeply')
    const nested: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(problemsOf(decodeFrame(frameOf({ task_id: nested })))?.[0]?.field).toBe('task_id')
  })
})

describe('the fields of a frame', () => {
  it.each([
    [{ task_session_id: 5 }, 'task_session_id'],
    [{ task_id: ['t'] }, 'task_id'],
    [{ turn_id: true }, 'turn_id'],
    [{ execution_id: 0 }, 'execution_id'],
    [{ tool_call_id: {} }, 'tool_call_id'],
    [{ parent_tool_call_id: 1 }, 'parent_tool_call_id'],
    [{ status: false }, 'status'],
    [{ observed_at: 'yesterday' }, 'observed_at'],
    [{ observed_at: '2026-08-03T15:32:20' }, 'observed_at'], // RFC 3339 needs an offset
    [{ observed_at: '2026-02-30T15:32:20Z' }, 'observed_at'],
    [{ observed_at: 1_785_000_000 }, 'observed_at'],
    [{ subagent: [] }, 'normalized.subagent_task'],
    [{ subagent: 5 }, 'normalized.subagent_task'],
    [{ subagent: { model: 5 } }, 'normalized.subagent_task.model'],
    [{ subagent: { is_async: 'true' } }, 'normalized.subagent_task.is_async'],
    [{ subagent: { is_async: 1 } }, 'normalized.subagent_task.is_async'],
  ])('rejected: %j, naming field and value', (fields, field) => {
    const problems = problemsOf(decodeFrame(frameOf(fields))) ?? []
    expect(problems.map((problem) => problem.field)).toEqual([field])
    expect(problems[0]?.message.startsWith(`${field}: is no `)).toBe(true)
  })

  it('rejected: every bad field is named, not the first alone', () => {
    const problems = problemsOf(decodeFrame(frameOf({ task_id: 5, status: 5, subagent: { model: 5, total_tokens: 'x' } })))
    expect(problems?.map(({ field }) => field)).toEqual([
      'task_id',
      'status',
      'normalized.subagent_task.model',
      'normalized.subagent_task.total_tokens',
    ])
  })

  it.each([5, 'text', [], true, { kind: 5 }, { kind: ['subagent_task'] }])(
    'rejected: normalized %j has the wrong type',
    (normalized) => {
      expect(problemsOf(decodeFrame({ normalized }))).toHaveLength(1)
    },
  )

  it('rejected: a normalized that is a number, also where the line is read with all its digits', () => {
    for (const text of [
      '{"normalized":5}',
      '{"normalized":5.5}',
      '{"normalized":12345678901234567890}',
      '5.5',
      '12345678901234567890',
    ]) {
      expect([text, problemsOf(decodeText(text))?.length]).toEqual([text, 1])
    }
  })

  it('a frame of another kind is ignored, and none of its fields is checked', () => {
    const decoded = decodeFrame({ task_id: 5, observed_at: 'never', normalized: { kind: 'shell_exec', subagent_task: 7 } })
    expect(isLeft(decoded) && decoded.left.outcome).toBe('ignored')
  })

  it.each([{}, null, undefined, ''])('an empty subagent_task (%j) is a payload that reports nothing', (subagent) => {
    const decoded = decodeFrame({ ...frameOf({}), normalized: { kind: 'subagent_task', subagent_task: subagent } })
    expect(isRight(decoded) && Object.values(decoded.right.subagent)).toEqual(Array.from({ length: 10 }, () => null))
  })

  it('unknown fields, and the three that are never stored, are ignored whatever they hold', () => {
    const subagent = { prompt: 5, result_text: {}, output_file: [1.5], can_read_output_file: 'x', model: 'opus' }
    const decoded = decodeFrame({ ...frameOf({ subagent }), anything: { nested: [1] } })
    expect(isRight(decoded) && JSON.stringify(decoded.right)).not.toMatch(/prompt|result_text|output_file|anything/)
  })

  it('a field that only a prototype has is absent', () => {
    const decoded = decodeFrame(Object.assign(Object.create({ task_id: 'inherited' }), { normalized: { kind: 'subagent_task' } }))
    expect(isRight(decoded) && decoded.right.task_id).toBeNull()
  })
})
