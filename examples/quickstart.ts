import Database from 'better-sqlite3'
import { boolOr, defineContract, firstNonNull, key, lastNonNull, openTable, reducerOf, renderUpsert } from 'mergelaw'
import { sqliteSession } from 'mergelaw/better-sqlite3'

// 1. Declare once, per column, how a later row merges into a stored one.
const jobs = defineContract({
  table: 'jobs',
  key: ['id'],
  columns: {
    id: { type: 'text', rule: key() },
    owner: { type: 'text', nullable: true, rule: firstNonNull() },
    status: { type: 'text', nullable: true, rule: lastNonNull() },
    tokens: { type: 'int64', nullable: true, absent: ['zero', 'negative'], rule: lastNonNull() },
    retried: { type: 'bool', rule: boolOr() },
  },
})

// 2. Rows arrive in pieces; each is merged by one statement.
const table = openTable(sqliteSession(new Database(':memory:')), jobs)
table.create()
table.upsert({ id: 'a', owner: '', status: 'running', tokens: 1200n })
table.upsert({ id: 'a', owner: 'ada', status: '', retried: true })
table.upsert({ id: 'a', owner: 'bob', status: 'done', tokens: 0n })
console.log(table.list())

// 3. The pure reducer says the same, without a database.
const { merge } = reducerOf(jobs)
const stored = { id: 'a', owner: 'ada', status: 'running', tokens: 1200n, retried: true }
console.log(merge(stored, { id: 'a', owner: 'bob', status: 'done', tokens: null, retried: false }))

// 4. And this is the statement, for review.
console.log(renderUpsert(jobs, 'postgres').sql)
