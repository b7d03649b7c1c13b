import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteFile } from '../support/host-database.ts'
import { expectOneOutcome, prepare, STARTS } from './activation/at-once.ts'
import { freshSchema, indexesOf } from './activation/host.ts'

const CHILD = fileURLToPath(new URL('../support/activate-child.ts', import.meta.url))
const PROCESSES = 4
const ROUNDS = 6

interface Child {
  readonly process: ChildProcess
  /** The next line it writes. */
  readonly answer: () => Promise<string>
}

const startChild = (): Child => {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { process: child, answer: async () => String((await lines.next()).value) }
}

describe('several processes on one SQLite file', () => {
  const children: Child[] = []
  beforeAll(() => void children.push(...Array.from({ length: PROCESSES }, startChild)))
  afterAll(() => {
    for (const child of children) child.process.stdin?.end()
  })

  it.each(Object.keys(STARTS))(
    'AC-18 AC-24d: started at once on %s all succeed, each step is done once, and the outcome is that of one',
    async (name) => {
      const fresh = indexesOf(await freshSchema(openSqliteFile))
      for (let round = 0; round < ROUNDS; round++) {
        const host = await openSqliteFile()
        await prepare(host, name)
        for (const child of children) child.process.stdin?.write(`${host.url.slice('sqlite:'.length)}\n`)
        const outcomes = await Promise.all(
          children.map(async (child) => JSON.parse(await child.answer()) as Record<string, string>),
        )
        await expectOneOutcome(host, name, outcomes, fresh)
        await host.close()
      }
      expect(children.map((child) => child.process.exitCode)).toEqual(children.map(() => null))
    },
    120_000,
  )
})
