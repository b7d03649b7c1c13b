import Database from 'better-sqlite3'
import {
  boolOr,
  defineContract,
  firstNonNull,
  key,
  lastNonNull,
  reducerOf,
  renderUpsert,
  run,
  tableOf,
  toRow,
  toTuple,
} from 'mergelaw'
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

// 2. The reducer says what a history leaves.
const reducer = reducerOf(jobs)
const frames = [
  { id: 'a', owner: '', status: 'running', tokens: 1200n },
  { id: 'a', owner: 'ada', status: '', retried: true },
  { id: 'a', owner: 'bob', status: 'done', tokens: 0n },
].map((frame) => {
  const normalised = reducer.normalise(frame)
  if (normalised._tag === 'Left') throw new TypeError(normalised.left[0]?.message)
  return normalised.right.row
})
const show = (row: object) =>
  console.log(
    Object.entries(row)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' '),
  )
reducer.fold(frames).forEach(show)

// 3. The statement does the same in the database, one row at a time.
const session = sqliteSession(new Database(':memory:'))
const table = tableOf(jobs, session.dialect)
const names = Object.keys(jobs.columns)
run(session, table.create())
for (const frame of frames) run(session, table.upsert(toTuple(names, frame)))
for (const tuple of run(session, table.list())) show(toRow(names, tuple))

// 4. And this is that statement.
console.log(renderUpsert(jobs, 'postgres').sql)
