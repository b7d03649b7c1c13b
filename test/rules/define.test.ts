/** Every contract that cannot work is refused when it is defined, and the error names table, column and reason. */
import { describe, expect, it } from 'vitest'
import { MergelawError } from '../../src/index.ts'
import { type Columns, define, frozen, KEY, VALUE, withColumn } from './specs.ts'

/** What is wrong, the contract, where the error says it is, and words of the reason. */
const REFUSED: readonly (readonly [what: string, spec: object, where: string, reason: string])[] = [
  ['no key', { key: [] }, 't: ', 'no key'],
  ['no columns', { columns: {} }, 't: ', 'no columns'],
  ['a key part that is no column', { key: ['k', 'x'] }, 't.x: ', 'there is no such column'],
  ['a key part named after what objects inherit', { key: ['k', 'constructor'] }, 't.constructor: ', 'there is no such column'],
  ['a key part of another rule', { key: ['k', 'c'], ...withColumn(VALUE) }, 't.c: ', 'its rule is lastNonNull'],
  ['a key column outside the key', withColumn(KEY), 't.c: ', 'not named in key'],
  ['a key part named twice', { key: ['k', 'k'] }, 't.k: ', 'named twice'],
  ['a nullable key', { columns: { k: { ...KEY, nullable: true } } }, 't.k: ', 'cannot be nullable'],
  ['an instant as key', { columns: { k: { type: 'instant', rule: { kind: 'key' } } } }, 't.k: ', 'many spellings'],
  [
    'a sentinel that is absent itself',
    { columns: { k: { ...KEY, rule: { kind: 'key', absentAs: '' } } } },
    't.k: ',
    'would itself be absent',
  ],
  [
    'a sentinel that is a marker',
    { columns: { k: { ...KEY, absent: [{ marker: 'none' }], rule: { kind: 'key', absentAs: 'none' } } } },
    't.k: ',
    'would itself be absent',
  ],
  [
    'a sentinel on an int64',
    { columns: { k: { type: 'int64', rule: { kind: 'key', absentAs: '0' } } } },
    't.k: ',
    'absentAs is a text',
  ],
  [
    'a sentinel no database holds',
    { columns: { k: { ...KEY, rule: { kind: 'key', absentAs: 'a\0' } } } },
    't.k: ',
    'no database can store',
  ],
  ['an empty table name', { table: '' }, ': ', 'the name is empty'],
  ['a table name with U+0000', { table: 'a\0' }, 'a\0: ', 'no database can store'],
  ['a table name of 64 bytes', { table: 'é'.repeat(32) }, 'é', 'longer than 63 bytes'],
  ['a table named like a pseudo-table', { table: 'Excluded' }, 'Excluded: ', 'pseudo-table excluded'],
  ['a table named like our alias', { table: 'stored' }, 'stored: ', 'pseudo-table stored'],
  ["a table named like SQLite's own", { table: 'SQLITE_x' }, 'SQLITE_x: ', 'SQLite keeps names'],
  ["a table named like PostgreSQL's own", { table: 'pg_class' }, 'pg_class: ', 'begin with pg_'],
  ['an empty column name', { columns: { k: KEY, '': VALUE } }, 't.: ', 'the name is empty'],
  ['a column name with a lone surrogate', { columns: { k: KEY, '\ud800': VALUE } }, 't.', 'no database can store'],
  ['a column name of 64 bytes', { columns: { k: KEY, ['x'.repeat(64)]: VALUE } }, 't.x', 'longer than 63 bytes'],
  ['a system column', { columns: { k: KEY, Ctid: VALUE } }, 't.Ctid: ', 'system column'],
  ['two names that SQLite takes for one', { columns: { k: KEY, a: VALUE, A: VALUE } }, 't.A: ', 'duplicate name'],
  ['a guard that does not exist', withColumn(frozen('x')), 't.c: ', 'is no column of this table'],
  ['a guard named after what objects inherit', withColumn(frozen('toString')), 't.c: ', 'is no column of this table'],
  ['a column that guards itself', withColumn(frozen('c')), 't.c: ', 'guards itself'],
  ['guards in a cycle', { columns: { k: KEY, a: frozen('b'), b: frozen('c'), c: frozen('a') } }, 't.a: ', 'a → b → c → a'],
  [
    'a freeze inside a freeze',
    withColumn(frozen('k', { kind: 'frozenBy', guard: 'k', rule: { kind: 'lastNonNull' } })),
    't.c: ',
    'cannot hold',
  ],
  ['a key inside a freeze', withColumn(frozen('k', { kind: 'key' })), 't.c: ', 'cannot hold the rule key'],
  ['a rule nobody knows', withColumn({ ...VALUE, rule: { kind: 'newest' } }), 't.c: ', 'there is no rule "newest"'],
  [
    'a rule named after what objects inherit',
    withColumn({ ...VALUE, rule: { kind: 'constructor' } }),
    't.c: ',
    'there is no rule',
  ],
  ['a type nobody knows', withColumn({ ...VALUE, type: 'float' }), 't.c: ', 'not "float"'],
  ['touch on a text', withColumn({ ...VALUE, rule: { kind: 'touch' } }), 't.c: ', 'the rule touch is for instant'],
  ['boolOr on an int64', withColumn({ type: 'int64', rule: { kind: 'boolOr' } }), 't.c: ', 'the rule boolOr is for bool'],
  ['zero as absent on a text', withColumn({ ...VALUE, absent: ['zero'] }), 't.c: ', 'the absent-rule zero does not fit'],
  [
    'empty as absent on an int64',
    withColumn({ ...VALUE, type: 'int64', absent: ['empty'] }),
    't.c: ',
    'the absent-rule empty does not fit',
  ],
  ['negative as absent on a bool', withColumn({ ...VALUE, type: 'bool', absent: ['negative'] }), 't.c: ', 'does not fit'],
  ['a marker on an instant', withColumn({ ...VALUE, type: 'instant', absent: [{ marker: 'x' }] }), 't.c: ', 'a marker is a text'],
  ['a marker that can never be met', withColumn({ ...VALUE, absent: [{ marker: '\ud800' }] }), 't.c: ', 'no database can store'],
  ['a DEFAULT on a nullable column', withColumn({ ...VALUE, default: 'x', rule: { kind: 'firstNonNull' } }), 't.c: ', 'hazard 2'],
  [
    'a DEFAULT that would overwrite',
    withColumn({ type: 'text', default: 'x', rule: { kind: 'lastNonNull' } }),
    't.c: ',
    'hazard 2',
  ],
  ['a DEFAULT under a freeze', withColumn({ ...frozen('k'), nullable: false, default: 'x' }), 't.c: ', 'hazard 2'],
  [
    'a DEFAULT 0 on a metric',
    withColumn({ type: 'int64', nullable: true, default: 0, rule: { kind: 'lastNonNull' } }),
    't.c: ',
    'default',
  ],
  [
    'a DEFAULT of another type',
    withColumn({ type: 'text', default: true, rule: { kind: 'writeOnce' } }),
    't.c: ',
    'does not fit text',
  ],
  [
    'a DEFAULT no database holds',
    withColumn({ type: 'text', default: '\0', rule: { kind: 'writeOnce' } }),
    't.c: ',
    'no database can store',
  ],
  [
    'a flag that could never be false',
    withColumn({ type: 'bool', default: true, rule: { kind: 'boolOr' } }),
    't.c: ',
    'never be false',
  ],
  ['a primary key that is no column', { primaryKey: ['x'] }, 't.x: ', 'named in primaryKey'],
  ['a nullable primary key', { ...withColumn(VALUE), primaryKey: ['c'] }, 't.c: ', 'primary key column cannot be nullable'],
  ['an empty primary key', { primaryKey: [] }, 't: ', 'primaryKey names no column'],
  ['a read order that is no column', { readOrder: ['k', 'x'] }, 't.x: ', 'named in readOrder'],
  ['a read order that names twice', { readOrder: ['k', 'k'] }, 't.k: ', 'named twice in readOrder'],
  ['an index on no column', { indexes: [{ name: 'i', columns: ['x'] }] }, 't.x: ', 'named in index i'],
  ['an index without a name', { indexes: [{ name: '', columns: ['k'] }] }, 't: ', 'an index cannot be named'],
  ['an index named like the table', { indexes: [{ name: 'T', columns: ['k'] }] }, 't: ', 'is taken'],
  [
    'two indexes of one name',
    {
      indexes: [
        { name: 'i', columns: ['k'] },
        { name: 'I', columns: ['k'] },
      ],
    },
    't: ',
    'is taken',
  ],
  [
    'a foreign key on no column',
    { foreignKeys: [{ columns: ['x'], references: { table: 'p', columns: ['id'] }, onDelete: 'cascade' }] },
    't.x: ',
    'foreign key to p',
  ],
]

describe('hazards 2, 9, 16: impossible contracts', () => {
  it.each(REFUSED)('hazard 9: %s is refused, naming table, column and reason', (_, spec, where, reason) => {
    const place = new RegExp(`^${where.replaceAll('.', '\\.')}`)
    expect(() => define(spec)).toThrow(MergelawError)
    expect(() => define(spec)).toThrow(expect.objectContaining({ code: 'contract', message: expect.stringMatching(place) }))
    expect(() => define(spec)).toThrow(reason)
  })

  it('hazard 9: what the table changes is all that is wrong with it', () => {
    const columns: Columns = { k: KEY, c: frozen('k'), d: { type: 'bool', rule: { kind: 'boolOr' } } }
    expect(define({ columns })).toMatchObject({ table: 't', primaryKey: ['k'], readOrder: ['k'] })
  })
})
