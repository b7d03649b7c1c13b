/** Contracts that only a database would refuse, and contracts of a shape that no compiler lets through. */
import { describe, expect, it } from 'vitest'
import { defineContract } from '../../src/index.ts'
import { define, foreign, frozen, indexed, KEY, namesOf, referring, type Spec, textColumns, VALUE, withColumn } from './specs.ts'

/** Foreign keys, names that PostgreSQL makes by itself, and what the databases limit. */
const REFUSED_TABLES: readonly (readonly [what: string, spec: object, where: string, reason: string])[] = [
  ['a foreign key to more columns than it has', referring('p', ['id', 'nr']), 't.k: ', '1 columns refer to 2'],
  ['a foreign key to no column', referring('p', []), 't.k: ', '1 columns refer to 0'],
  ['a foreign key to a column without a name', referring('p', ['']), 't.k: ', 'the name is empty'],
  ['a foreign key to a table without a name', referring('', ['id']), 't.k: ', 'the name is empty'],
  ['a foreign key to a name that is cut', referring('x'.repeat(64), ['id']), 't.k: ', 'longer than 63 bytes'],
  [
    'a foreign key to one column twice',
    { ...withColumn(VALUE), ...referring('p', ['id', 'ID'], { columns: ['k', 'c'] }) },
    't.k: ',
    'the column "ID" twice',
  ],
  ['a reference to a column of its own that is not there', referring('t', ['id']), 't.k: ', 'no column "id"'],
  [
    'a reference to a column of its own that is not unique',
    { ...withColumn(VALUE), ...referring('t', ['c']) },
    't.k: ',
    'neither the key nor the primary key',
  ],
  [
    'a reference to a part of its own key',
    { key: ['k', 'l'], columns: { k: KEY, l: KEY }, ...referring('t', ['l']) },
    't.k: ',
    'neither the key nor the primary key',
  ],
  [
    'a reference to itself of another type',
    { ...withColumn({ ...VALUE, type: 'int64' }), ...referring('t', ['k'], { columns: ['c'] }) },
    't.c: ',
    'c is int64, but k is text',
  ],
  ['a reference to itself in other case', referring('T', ['k']), 't.k: ', 'takes them for one table'],
  [
    'an onDelete that is SQL',
    foreign({ onDelete: 'set null; drop table x' }),
    't: ',
    'foreignKeys[0].onDelete: must be "cascade" or "restrict", not "set null; drop table x"',
  ],
  ["an index named like SQLite's own", indexed('SQLite_i'), 't: ', 'SQLite keeps for itself'],
  ['an index named like the primary key', indexed('t_pkey'), 't: ', 'PostgreSQL gives to a constraint'],
  ['an index named like the unique key', indexed('t_k_key'), 't: ', 'PostgreSQL gives to a constraint'],
  [
    'an index named like the cut name of the primary key',
    { table: 'é'.repeat(31), ...indexed(`${'é'.repeat(29)}_pkey`) },
    'é',
    'PostgreSQL gives to a constraint',
  ],
  [
    'an index named like the cut name of the unique key',
    {
      table: 'x'.repeat(40),
      key: ['y'.repeat(40)],
      columns: { ['y'.repeat(40)]: KEY },
      indexes: [{ name: `${'x'.repeat(29)}_${'y'.repeat(29)}_key`, columns: ['y'.repeat(40)] }],
    },
    'x',
    'PostgreSQL gives to a constraint',
  ],
  ['an index named like a parent table', { ...foreign({}), ...indexed('P') }, 't: ', 'taken by a table'],
  ['a key of 33 columns', { key: namesOf(33), columns: textColumns(33, KEY) }, 't: ', 'key names 33 columns'],
  [
    'an index of 33 columns',
    { columns: { k: KEY, ...textColumns(33) }, indexes: [{ name: 'i', columns: namesOf(33) }] },
    't: ',
    'index i names 33 columns',
  ],
  ['1601 columns', { columns: { k: KEY, ...textColumns(1600) } }, 't: ', '1601 columns'],
  [
    'a default that is absent',
    withColumn({ type: 'text', default: '', rule: { kind: 'writeOnce' } }),
    't.c: ',
    'would itself be absent',
  ],
  [
    'a default that is its own marker',
    withColumn({ type: 'text', absent: [{ marker: 'none' }], default: 'none', rule: { kind: 'writeOnce' } }),
    't.c: ',
    'would itself be absent',
  ],
]

/** What no compiler let through: raw TypeErrors, or options that nobody reads. */
const MISSHAPEN: readonly (readonly [what: string, spec: unknown, where: string, reason: string])[] = [
  ['null', null, 'a contract without a table name: ', 'must be a contract, not null'],
  ['nothing', undefined, 'a contract without a table name: ', 'missing'],
  ['a list', [], 'a contract without a table name: ', 'must be a contract'],
  ['table null', { table: null }, 'a contract without a table name: ', 'table: must be a text, not null'],
  ['table a number', { table: 5 }, 'a contract without a table name: ', 'table: must be a text, not 5'],
  ['table missing', { table: undefined }, 'a contract without a table name: ', 'table: missing: it must be a text'],
  ['key a text', { key: 'k' }, 't: ', 'key: must be a list of column names, not "k"'],
  ['key missing', { key: undefined }, 't: ', 'key: missing'],
  ['key with a number', { key: ['k', 5] }, 't: ', 'key[1]: must be a text, not 5'],
  ['key with a hole', { key: new Array(1) }, 't: ', 'key[0]: missing'],
  ['columns null', { columns: null }, 't: ', 'columns: must be an object'],
  ['columns a list', { columns: [] }, 't: ', 'columns: must be an object'],
  ['columns a map', { columns: new Map([['k', KEY]]) }, 't: ', 'plain object'],
  ['columns that inherit', { columns: Object.create({ k: KEY }) as object }, 't: ', 'plain object'],
  ['a column null', withColumn(null as never), 't.c: ', 'must be a column, not null'],
  ['a column without a name, null', { columns: { k: KEY, '': null } }, 't.: ', 'must be a column, not null'],
  ['a column without a type', withColumn({ rule: VALUE.rule }), 't.c: ', 'type: missing'],
  ['a type that every object inherits', withColumn({ ...VALUE, type: 'constructor' }), 't.c: ', 'type: must be'],
  ['a rule missing', withColumn({ type: 'text' }), 't.c: ', 'rule: missing: it must be a rule'],
  ['a rule null', withColumn({ ...VALUE, rule: null }), 't.c: ', 'rule: must be a rule, for example lastNonNull(), not null'],
  ['a rule as a text', withColumn({ ...VALUE, rule: 'lastNonNull' }), 't.c: ', 'rule: must be a rule'],
  [
    'a rule with an option',
    withColumn({ ...VALUE, rule: { kind: 'lastNonNull', absentAs: 'x' } }),
    't.c: ',
    'no option "absentAs"',
  ],
  [
    'a sentinel that is a number',
    { columns: { k: { ...KEY, rule: { kind: 'key', absentAs: 5 } } } },
    't.k: ',
    'rule.absentAs: must be a text, not 5',
  ],
  ['a freeze without a rule', withColumn({ ...VALUE, rule: { kind: 'frozenBy', guard: 'k' } }), 't.c: ', 'rule.rule: missing'],
  [
    'a freeze without a guard',
    withColumn({ ...VALUE, rule: { kind: 'frozenBy', rule: VALUE.rule } }),
    't.c: ',
    'rule.guard: missing',
  ],
  ['a freeze of an unknown rule', withColumn(frozen('k', { kind: 'newest' })), 't.c: ', 'there is no rule "newest"'],
  ['absent a text', withColumn({ ...VALUE, absent: 'empty' }), 't.c: ', 'absent: must be a list of absent-rules, not "empty"'],
  ['absent with null', withColumn({ ...VALUE, absent: [null] }), 't.c: ', 'absent[0]: must be'],
  ['a marker of two', withColumn({ ...VALUE, absent: [{ marker: 'x', to: 'y' }] }), 't.c: ', 'no option "to"'],
  ['nullable a text', withColumn({ ...VALUE, nullable: 'no' }), 't.c: ', 'nullable: must be true or false, not "no"'],
  ['a misspelt option of a column', withColumn({ ...VALUE, nulable: true }), 't.c: ', 'no option "nulable"'],
  ['a misspelt option of a contract', { index: [] }, 't: ', 'there is no option "index"'],
  [
    'an unknown type of PostgreSQL',
    withColumn({ type: 'instant', rule: { kind: 'touch' }, postgres: 'date' }),
    't.c: ',
    'postgres: must be "timestamp" or "timestamptz", not "date"',
  ],
  ['a type of PostgreSQL on a text', withColumn({ ...VALUE, postgres: 'timestamp' }), 't.c: ', 'postgres is for an instant'],
  ['an index without columns', { indexes: [{ name: 'i' }] }, 't: ', 'indexes[0].columns: missing'],
  ['a unique index', { indexes: [{ name: 'i', columns: ['k'], unique: true }] }, 't: ', 'no option "unique"'],
  ['a foreign key null', { foreignKeys: [null] }, 't: ', 'foreignKeys[0]: must be a foreign key, not null'],
  ['a foreign key without references', foreign({ references: undefined }), 't: ', 'foreignKeys[0].references: missing'],
]

describe('hazards 9, 16: contracts that a database would refuse', () => {
  it.each(REFUSED_TABLES)('hazard 9: %s is refused, naming table, column and reason', (_, spec, where, reason) => {
    const place = new RegExp(`^${where.replaceAll('.', '\\.')}`)
    expect(() => define(spec)).toThrow(expect.objectContaining({ code: 'contract', message: expect.stringMatching(place) }))
    expect(() => define(spec)).toThrow(reason)
  })

  it.each(MISSHAPEN)('hazard 9: %s, written without types, is refused in the same way', (_, spec, where, reason) => {
    const isPart = typeof spec === 'object' && spec !== null && !Array.isArray(spec)
    const act = () => (isPart ? define(spec) : defineContract(spec as Spec))
    expect(act).toThrow(
      expect.objectContaining({ code: 'contract', details: expect.objectContaining({ reason: expect.any(String) as string }) }),
    )
    expect(act).toThrow(where)
    expect(act).toThrow(reason)
  })

  it('hazard 9: what stands at the limits is a contract', () => {
    const wide = { k: KEY, ...textColumns(1599) }
    expect(define({ columns: wide, indexes: [{ name: 'i', columns: namesOf(32) }] })).toMatchObject({ table: 't' })
    expect(define({ ...indexed('t_of_key'), ...referring('t', ['k']) })).toMatchObject({ table: 't' })
    expect(define(withColumn({ type: 'text', absent: [], default: '', rule: { kind: 'writeOnce' } }))).toMatchObject({
      table: 't',
    })
  })
})
