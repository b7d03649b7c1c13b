/** `npm run docs` writes docs/rules.md out of the rules themselves; a test holds the file against this text. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  boolOr,
  type ColumnSpec,
  defineContract,
  firstNonNull,
  frozenBy,
  key,
  lastNonNull,
  lastValue,
  lawsOf,
  type RuleKind,
  renderUpsert,
  touch,
  writeOnce,
} from '../src/index.ts'

/** One contract with every rule; a new kind makes the compiler ask for its line here. */
const sample = defineContract({
  table: 't',
  key: ['key'],
  columns: {
    key: { type: 'text', rule: key() },
    writeOnce: { type: 'text', rule: writeOnce() },
    firstNonNull: { type: 'instant', nullable: true, rule: firstNonNull() },
    lastNonNull: { type: 'text', nullable: true, rule: lastNonNull() },
    lastValue: { type: 'text', nullable: true, rule: lastValue() },
    touch: { type: 'instant', rule: touch() },
    boolOr: { type: 'bool', rule: boolOr() },
    frozenBy: { type: 'text', nullable: true, rule: frozenBy('firstNonNull', lastNonNull()) },
  } satisfies Record<RuleKind, ColumnSpec>,
})

const MEANING: Record<RuleKind, string> = {
  key: 'identity; an absent part is refused, or becomes the sentinel `absentAs`',
  writeOnce: 'what the creating row held, NULL included',
  firstNonNull: 'the first reported value stays; a NULL is filled',
  lastNonNull: 'the last reported value; what is not reported never blanks it',
  lastValue: 'the last row, NULL included; every row must carry the column',
  touch: 'the newest instant, never backwards',
  boolOr: 'true once any row said true',
  frozenBy: 'the stored value while the stored guard column is not NULL, else the inner rule (here: lastNonNull)',
}

const assignments = (): ReadonlyMap<string, string> => {
  const { sql } = renderUpsert(sample, 'postgres')
  const set = sql.slice(sql.indexOf('DO UPDATE SET\n') + 'DO UPDATE SET\n'.length)
  return new Map(
    set.split(/,\n(?= {2}")/).map((line) => {
      const [, name = '', value = ''] = /^\s*"(\w+)" = (.*)$/s.exec(line) ?? []
      return [name, value.replaceAll(/\s+/g, ' ')] as const
    }),
  )
}

/** The text of docs/rules.md. */
export const rulesDoc = (): string => {
  const sql = assignments()
  const laws = lawsOf(sample)
  const rows = (Object.keys(MEANING) as RuleKind[]).map((kind) => {
    const value = sql.get(kind)
    const set = value === undefined ? 'not in SET' : `\`${value}\``
    return `| \`${kind}\` | ${MEANING[kind]} | ${set} | ${laws.columns[kind]?.join(', ')} |`
  })
  return `# The rules

Written by \`npm run docs\`. \`stored\` is the row in the table, \`excluded\` the one that arrives; the SQL is PostgreSQL's, SQLite's differs only
in how instants compare.

| rule | the column holds | on conflict | laws |
|---|---|---|---|
${rows.join('\n')}

The laws, with s any stored row or none and a, b any incoming rows of its key:

- \`idempotent\`: s, a, a leaves what s, a leaves.
- \`lateReplaySafe\`: s, a, b, a leaves what s, a, b leaves.
- \`commutative\`: s, a, b leaves what s, b, a leaves.
- \`foldable\`: merging a and b in memory and writing once leaves what s, a, b leaves. \`upsertAll\` folds only where the whole contract is.

\`frozenBy\` has its inner rule's laws, but never \`commutative\`; and it is foldable only under a guard that stays set once it is set:
\`firstNonNull\`, \`lastNonNull\`, \`touch\` or \`boolOr\`. A guard that is NOT NULL freezes the column from the first row on.

# Absence

What was not reported is NULL, decided once, before any merge. \`absent\` says which sent values mean "not reported":

| absent-rule | column | means "not reported" |
|---|---|---|
| \`'empty'\` | text | the empty text; the default for text, \`absent: []\` keeps it |
| \`'zero'\` | int64 | exactly 0 |
| \`'negative'\` | int64 | anything below 0, and counted as an anomaly |
| \`{ marker: '…' }\` | text | that text |

An absent value of a NOT NULL column is refused, unless the column has a \`default\`, which only ever reaches a new row.

# Adding a rule

1. A file in \`src/rules/kinds/\`, its member in \`Plain\` (\`kinds/plain.ts\`), its factory's export in \`kinds/index.ts\`, and the column types that
   may use it in \`src/rules/columns.ts\`.
2. \`npm run check:types\` then names every other place: the reducer (\`rules/reducer.ts\`), the SQL (\`sql-render/lower/merge.ts\`), the laws
   (\`rules/laws.ts\`), the checks, the properties' arbitraries and models, this page.
3. \`npm run properties\` compares reducer and databases over every pair of values, proves the laws you claimed, and asks for a
   counterexample to each one you did not. Plant a wrong version in \`properties/mutants/\`, and see it caught.
`
}

const path = fileURLToPath(new URL('../docs/rules.md', import.meta.url))
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(path, rulesDoc())
}

/** What the file holds now. */
export const writtenRulesDoc = (): string => readFileSync(path, 'utf8')
