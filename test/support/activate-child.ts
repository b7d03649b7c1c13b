/** A process of its own that activates each SQLite file named on its stdin, one a line, and answers with the outcomes, one a line. */
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { activate } from '../../src/subagents/activate.ts'

for await (const path of createInterface({ input: process.stdin })) {
  const db = new Database(path)
  const log = { warn: (fields: unknown) => void process.stderr.write(`${JSON.stringify(fields)}\n`) }
  const { steps } = activate(sqliteSession(db), { log })
  db.close()
  process.stdout.write(`${JSON.stringify(Object.fromEntries(steps.map(({ step, outcome }) => [step, outcome])))}\n`)
}
