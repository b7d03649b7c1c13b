#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { messageOf } from '../util/message-of.ts'
import { complain } from './complain.ts'
import type { Register } from './verb.ts'

interface Verb {
  readonly about: string
  readonly load: () => Promise<Register>
}

/** Every verb. Only the one that runs is loaded, so that `--version` and `--help` need no database driver. */
const VERBS: Readonly<Record<string, Verb>> = {
  init: {
    about: 'create the table, and the host tables where they are missing',
    load: async () => (await import('./init.ts')).registerInit,
  },
  migrate: {
    about: 'activate on the database of a host: table, upgrade, keys and backfill',
    load: async () => (await import('./migrate.ts')).registerMigrate,
  },
  health: {
    about: 'compare the messages since activation with the rows since activation',
    load: async () => (await import('./health.ts')).registerHealth,
  },
  status: {
    about: 'show keys, schema and rows as they stand, and how to read them',
    load: async () => (await import('./status.ts')).registerStatus,
  },
  'load-messages': {
    about: 'insert a file of host messages, to try a history without a host',
    load: async () => (await import('./load-messages.ts')).registerLoadMessages,
  },
  record: {
    about: 'record a file of frames',
    load: async () => (await import('./record.ts')).registerRecord,
  },
  rows: {
    about: 'print stored rows, one JSON object a line',
    load: async () => (await import('./rows.ts')).registerRows,
  },
  replay: {
    about: 'print the rows that a file of frames leaves, without a database',
    load: async () => (await import('./replay.ts')).registerReplay,
  },
  sql: {
    about: 'write the generated SQL, or check that it is up to date',
    load: async () => (await import('./sql.ts')).registerSql,
  },
  runs: {
    about: 'look at saved child runs, and ask whether one may be continued or copied',
    load: async () => (await import('./runs.ts')).registerRuns,
  },
}

/** 0: done. 1: done, but something was rejected, failed or differs. 2: wrong usage, or nothing could be opened. */
const main = async (argv: readonly string[]): Promise<void> => {
  const program = new Command('mergelaw')
    .description('Declare once, per column, how a later row merges into a stored one.')
    .version(versionOfPackage(), '-V, --version')
    .exitOverride()
  await register(program, argv[0])
  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    process.exitCode = exitCodeOf(error)
  }
}

const register = async (program: Command, wanted: string | undefined): Promise<void> => {
  for (const [name, { about, load }] of Object.entries(VERBS)) {
    if (name === wanted || wanted === 'help') (await load())(program, about)
    else program.command(name).description(about)
  }
}

/** commander has printed its own line already; for `--help` and `--version` its code is 0. */
const exitCodeOf = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  complain(`mergelaw: ${messageOf(error)}`)
  return 2
}

/** The same relative path from `src/cli` and from `dist/cli`. */
const versionOfPackage = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : undefined
  return typeof version === 'string' ? version : 'unknown'
}

/** Whoever reads us may stop early (`| head`): that is no error of ours, and nothing more can be said. */
const endQuietly = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') complain(`mergelaw: could not write to stdout: ${error.message}`)
  process.exit(error.code === 'EPIPE' ? (process.exitCode ?? 0) : 2)
}

process.stdout.on('error', endQuietly)
process.stderr.on('error', () => undefined)
await main(process.argv.slice(2))
