import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sqliteSession } from '../../src/adapters/better-sqlite3.ts'
import { initialise, insertSession } from '../../src/subagents/index.ts'
import { upsertSql } from '../by-hand.ts'
import { frames, sessions } from '../frames.ts'
import type { Measured, Side } from '../measure.ts'

// Trials run in the folder of the package.
const MAIN = join(process.cwd(), 'dist/cli/main.js')
const SCRIPT = join(process.cwd(), 'bench/opponents/script.mjs')

/** Runs a command to its end; stdout and stderr are read, so that they cost what a pipe costs. */
const command = (args: readonly string[]): { seconds: number; stdout: string; stderr: string } => {
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const seconds = (performance.now() - start) / 1_000
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return { seconds, stdout, stderr }
}

/** A file of frames, made once for a run of the benchmarks. */
const fileOf = (count: number): string => {
  const file = join(process.env['MERGELAW_BENCH_FOLDER'] ?? '.', `frames-${count}.ndjson`)
  if (!existsSync(file))
    writeFileSync(
      file,
      frames(count)
        .map((frame) => `${JSON.stringify(frame)}\n`)
        .join(''),
    )
  return file
}

/** An empty database file with the parents of all frames, and what is run on it. */
const onFile = (count: number, run: (database: string, file: string) => Measured): Measured => {
  const folder = mkdtempSync(join(tmpdir(), 'mergelaw-bench-'))
  const database = join(folder, 'bench.db')
  try {
    const db = new Database(database)
    const session = sqliteSession(db)
    session.run(initialise('sqlite'))
    for (const parent of sessions()) session.run(insertSession('sqlite')(parent))
    db.close()
    return run(database, fileOf(count))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const recordFile =
  (count: number): Side =>
  async () =>
    onFile(count, (database, file) => ({ ...command([MAIN, 'record', file, '--db', `sqlite:${database}`]), amount: count }))

/** A script that parses each line and runs the prepared upsert, in one transaction. */
export const scriptFile =
  (count: number): Side =>
  async () =>
    onFile(count, (database, file) => {
      const sql = join(database, '../upsert.sql')
      writeFileSync(sql, upsertSql('sqlite'))
      return { ...command([SCRIPT, database, file, sql]), amount: count }
    })

/** Written by the child as it ends. */
const TELL_MEMORY = `data:text/javascript,process.on('exit',()=>process.stderr.write('maxRSS='+process.resourceUsage().maxRSS))`

/** The most memory that a run held, in KB, in the place of its time. */
export const recordMemory =
  (count: number): Side =>
  async () =>
    onFile(count, (database, file) => {
      const { stderr } = command(['--import', TELL_MEMORY, MAIN, 'record', file, '--db', `sqlite:${database}`])
      return { seconds: Number(/maxRSS=(\d+)/.exec(stderr)?.[1]), amount: 1 }
    })

export const version: Side = async () => ({ ...command([MAIN, '--version']), amount: 1 })
export const nothing: Side = async () => ({ ...command(['-e', '0']), amount: 1 })
