/** JSON as text: every spelling of a value that a writer may choose, and texts that are no JSON at all. */
import fc from 'fast-check'
import { SPECIAL_TEXTS } from './values.ts'

const hex = (unit: number, upper: boolean): string => {
  const digits = unit.toString(16).padStart(4, '0')
  return `\\u${upper ? digits.toUpperCase() : digits}`
}

const SHORT: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r', '/': '\\/' }

/** How the units of a string are written: the nth way for the nth unit, round and round. */
type Ways = readonly ('plain' | 'short' | 'lower' | 'UPPER')[]

/** Writes a JSON string; what must be escaped is, the rest as the ways say. */
export const writeString = (text: string, ways: Ways): string => {
  const units = Array.from({ length: text.length }, (_, at) => {
    const unit = text.charCodeAt(at)
    const char = text.charAt(at)
    const way = ways[at % ways.length] ?? 'plain'
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff
    if (way === 'short' && SHORT[char] !== undefined) return SHORT[char]
    // A half of a pair that is written as itself needs its other half beside it: so pairs are escaped as a whole, or not at all.
    if (isSurrogate) return text.isWellFormed() && ways[0] === 'plain' ? char : hex(unit, way === 'UPPER')
    if (way === 'lower' || way === 'UPPER') return hex(unit, way === 'UPPER')
    return unit < 0x20 || char === '"' || char === '\\' ? hex(unit, false) : char
  })
  return `"${units.join('')}"`
}

const ways = (): fc.Arbitrary<Ways> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(['plain'] as const) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom('plain' as const, 'short' as const, 'lower' as const, 'UPPER' as const), {
        minLength: 1,
        maxLength: 7,
      }),
    }, // repeated over the text
  )

/** Texts whose escapes or bytes are near something that a careless replacement would hit. */
const TRAPS: readonly string[] = [
  ...[
    '\\u0000',
    '\\\0',
    '\\\\u0000',
    '\\ud800',
    '\ud83d\ude00',
    '\ud83d',
    '\ude00',
    '\ude00\ud83d',
    '\ud83d\ud83d\ude00',
    '\ud83d\ude00\ude00',
  ],
  ...[
    'x\0y\0',
    '\u0001',
    '\ud7ff',
    '\ue000',
    '\ufffe',
    '\uffff',
    'subagent_task',
    ':1e5',
    ',[-2.5E+3 ":0e0',
    'ud83d\\ude00',
    '\ud83d\\\ude00',
    '\ud83d\0\ude00',
  ],
]

export const stringText = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(
        fc.constantFrom(...SPECIAL_TEXTS),
        fc.constantFrom(...TRAPS),
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.constantFrom('a', 'b'),
      ), // short, so that many fit in one statement
      ways(),
    )
    .map(([text, how]) => writeString(text, how))

const NUMBERS: readonly string[] = [
  ...['0', '-0', '1', '7', '-5', '12.0', '12.5', '1e3', '1E+3', '1e-1', '0e0', '0.0', '-0.0', '-1e400', '1e400', '70299', '0E1'],
  ...[
    '2147483648',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
    '-9223372036854775809',
  ],
  ...[
    '999999999999999999',
    '1000000000000000000',
    '9999999999999999999',
    '123456789012345678901234567890',
    '1234567890123456789.0',
  ],
]

const nested = (depth: number, kind: 'array' | 'object'): string =>
  kind === 'array' ? `${'['.repeat(depth)}${']'.repeat(depth)}` : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** Any value; depths stay below what SQLite reads (1,000) with the levels around it, or far above what any database does. */
export const valueText = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: stringText() },
    { weight: 5, arbitrary: fc.constantFrom(...NUMBERS) },
    { weight: 3, arbitrary: fc.constantFrom('true', 'false', 'null') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '{}',
        '[]',
        '[1]',
        '{"a":1}',
        '["a"]',
        '{"kind":"subagent_task"}',
        '{"status":"completed"}',
        '[true]',
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(2, 40, 990), fc.constantFrom('array' as const, 'object' as const))
        .map(([depth, kind]) => nested(depth, kind)),
    },
  )

/** One object: its members in the order given; at times one is left out, or stands there again, before or after, with another value. */
export const objectText = (members: readonly (readonly [name: string, value: fc.Arbitrary<string>])[]): fc.Arbitrary<string> => {
  const written = () => fc.tuple(...members.map(([name, value]) => fc.tuple(fc.constant(name), ways(), value)))
  const some = () =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant<readonly number[]>([]) },
      { weight: 1, arbitrary: fc.array(fc.nat(members.length - 1), { minLength: 1, maxLength: 3 }) },
    ) // a few, or nothing qualifies
  return fc
    .record({
      usual: written(),
      other: written(),
      before: some(),
      after: some(),
      out: some(),
      space: fc.constantFrom('', ' ', '\n\t'),
    })
    .map(({ usual, other, before, after, out, space }) => {
      const again = (places: readonly number[]) => places.flatMap((at) => other.slice(at, at + 1))
      const chosen = [...again(before), ...usual.flatMap((member, at) => (out.includes(at) ? [] : [member])), ...again(after)]
      return `{${chosen.map(([name, how, value]) => `${space}${writeString(name, how)}${space}:${value}`).join(`,${space}`)}${space}}`
    })
}

/** Texts that a JSON reader may be too kind to: JSON5, other programs' leftovers, nothing, far too much. */
export const BROKEN: readonly (string | null)[] = [
  ...[
    null,
    '',
    ' ',
    'null',
    'subagent_task',
    '"subagent_task"',
    '["subagent_task"]',
    '123',
    "{'a':'subagent_task'}",
    '{a:"subagent_task"}',
  ],
  ...[
    '\uFEFF{"a":"subagent_task"}',
    '{"a":"subagent_task",}',
    '{"a":NaN,"b":"subagent_task"}',
    '{"subagent_task":01}',
    '{"subagent_task":+1}',
  ],
  ...[
    '/* subagent_task */{}',
    '{"subagent_task":"\t"}',
    '{"subagent_task":"\u0001"}',
    '{"subagent_task":"\\x41"}',
    '{"subagent_task":"\\ud8"}',
    'subagent_task{}',
  ],
  ...[
    '{"subagent_task":1}{}',
    '\u00a0{"subagent_task":1}',
    '{"subagent_task":.5}',
    '{"subagent_task":5.}',
    '{"subagent_task":0x1}',
    '"\\u005f',
    '[1,,"subagent_task"]',
  ],
  `{"subagent_task":${nested(100_000, 'array')}}`,
  `{"subagent_task":${nested(100_000, 'object')}}`,
  `"subagent_task"${'['.repeat(50_000)}`,
]
