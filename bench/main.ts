/** `npm run bench [-- --json] [-- --only NAME] [-- --rounds N]`: every case of bench/README.md. Exit 0 when all of them ran. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import pg from 'pg'
import { POSTGRES_URL } from './databases.ts'
import { GROUPS } from './groups.ts'
import { SEED } from './random.ts'
import { compile, type Result, runGroup } from './run.ts'

const PACKAGES = ['better-sqlite3', 'pg', 'kysely', 'drizzle-orm', 'knex', 'pg-copy-streams']

const versionOf = (name: string): string => {
  const path =
    createRequire(import.meta.url)
      .resolve.paths(name)
      ?.map((folder) => join(folder, name, 'package.json')) ?? []
  for (const file of path) {
    try {
      return String(JSON.parse(readFileSync(file, 'utf8')).version)
    } catch {
      // The next folder up may hold it.
    }
  }
  return 'unknown'
}

const versions = async (): Promise<Record<string, string>> => {
  const sqlite = new Database(':memory:')
  const client = new pg.Client({ connectionString: POSTGRES_URL })
  const server = async (): Promise<string> => {
    await client.connect()
    const { rows } = await client.query('SHOW server_version')
    await client.end()
    return String(rows[0]?.server_version)
  }
  return {
    node: process.version,
    sqlite: String(sqlite.prepare('SELECT sqlite_version()').pluck().get()),
    postgres: POSTGRES_URL === undefined ? 'none' : await server(),
    cpu: `${cpus().length} × ${cpus()[0]?.model}`,
    ...Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
  }
}

const show = (results: readonly Result[]): void => {
  for (const { name, ours, theirs, ratio, floor, ok, why } of results) {
    const judged = floor === 0 ? 'shown' : ok ? 'ok' : 'MISSED'
    console.log(
      why === undefined
        ? `${judged.padEnd(7)}${name}: ${ours} to ${theirs}, ratio ${ratio}, floor ${floor}`
        : `NOT RUN ${name}: ${why}`,
    )
  }
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' }, rounds: { type: 'string' } } })
  const rounds = Math.max(1, Number(values.rounds ?? 5))
  const folder = mkdtempSync(join(tmpdir(), 'mergelaw-bench-'))
  const env = { ...process.env, MERGELAW_BENCH_FOLDER: folder }
  compile()
  const used = await versions()
  if (values.json !== true) console.log(`${JSON.stringify(used)}\nseed ${SEED}, median of ${rounds}\n`)
  const results: Result[] = []
  try {
    for (const [name, group] of Object.entries(GROUPS)) {
      if (values.only !== undefined && !name.includes(values.only)) continue
      const start = performance.now()
      const onTrial = (side: string): void => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${name}: ${side}`))
      const found =
        group.needs === 'postgres' && POSTGRES_URL === undefined
          ? group.cases.map(
              (one): Result => ({
                name: one.name,
                ours: null,
                theirs: null,
                ratio: null,
                floor: one.floor,
                ok: false,
                why: 'no PostgreSQL: run it through scripts/with-postgres.ts',
              }),
            )
          : await runGroup(name, group, { rounds, env, onTrial })
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
      results.push(...found)
      if (values.json !== true) {
        show(found)
        console.log(`       (${name}: ${Math.round((performance.now() - start) / 1_000)} s)`)
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  if (values.json === true)
    console.log(JSON.stringify({ versions: used, seed: SEED, cases: results.filter(({ floor }) => floor > 0) }))
  return results.length > 0 && results.every(({ why }) => why === undefined) ? 0 : 1
}

process.exitCode = await main()
