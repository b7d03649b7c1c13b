import { readFileSync, statSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import {
  ADMITTED_STATUSES,
  admit,
  decodeExpectation,
  type Expectation,
  openRunStore,
  type RunRecord,
} from '../admission/index.ts'
import { readJsonObject, writeJson } from '../admission/json.ts'
import { onOneLine, quotedPath } from '../admission/names.ts'
import { isStatusRefusal } from '../admission/refusal.ts'
import { MergelawError } from '../errors/index.ts'
import { messageOf } from '../util/message-of.ts'

/** 0: done, or admitted. 1: refused, or some records could not be read. 2: wrong usage, or nothing could be read. */
type ExitCode = 0 | 1 | 2

/** Control characters that JSON lets through are escaped too: a terminal would obey them. */
const say = (document: unknown): void => void process.stdout.write(`${onOneLine(writeJson(document))}\n`)
const complain = (message: string): void => void process.stderr.write(`mergelaw: ${onOneLine(message)}\n`)

/**
 * Adds `runs list`, `runs show` and `runs check` to a program. They only read: nothing under DIR changes.
 *
 * Documents go to stdout, complaints to stderr, the exit code to `process.exitCode`. For wrong usage commander's own error is
 * thrown with exit code 2 (0 for --help): whoever parses must catch a CommanderError and take its `exitCode`.
 */
export function registerRuns(program: Command): void {
  const runs = program.command('runs').description('look at saved child runs, and ask whether one may be continued or copied')
  runs.exitOverride(({ exitCode, code, message }) => {
    throw new CommanderError(exitCode === 0 ? 0 : 2, code, message)
  })
  runs
    .command('list')
    .description('print the runs of a store, one JSON object a line')
    .argument('<dir>', 'the directory with the REF.meta.json files')
    .option('--session <id>', 'only the runs of this parent session')
    .option('--json', 'print one JSON array instead')
    .action((dir: string, options: { session?: string; json?: boolean }) => report(() => list(dir, options)))
  runs
    .command('show')
    .description('print the metadata of one run, every field, as one JSON object')
    .argument('<dir>', 'the directory with the REF.meta.json files')
    .argument('<ref>', 'the reference of the run')
    .action((dir: string, ref: string) => report(() => show(dir, ref)))
  runs
    .command('check')
    .description('decide whether a run may be continued; exit 0 admitted, 1 refused, 2 unreadable')
    .argument('<dir>', 'the directory with the REF.meta.json files')
    .argument('<ref>', 'the reference of the run')
    .requiredOption('--expect <file>', 'the identity that would continue it, as JSON')
    .action((dir: string, ref: string, { expect }: { expect: string }) => report(() => check(dir, ref, expect)))
}

/** Runs a verb. Whatever goes wrong becomes one line and exit code 2. */
function report(verb: () => ExitCode): void {
  try {
    process.exitCode = verb()
  } catch (error) {
    complain(error instanceof Error ? error.message : 'an unknown failure')
    process.exitCode = 2
  }
}

/** Opens a store that is there: a mistyped directory must not look like an empty store. */
function open(dir: string) {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new MergelawError('usage', `${quotedPath(dir)} is not a directory: name the one that holds the REF.meta.json files`)
  }
  return openRunStore(dir)
}

const summary = ({ ref, meta, fields }: RunRecord): Readonly<Record<string, unknown>> => {
  const { kind = null, name = null, parentSession = null, updatedAt = null } = meta
  return { ref, status: fields['status'] ?? null, kind, name, parentSession, updatedAt }
}

function list(dir: string, options: { session?: string; json?: boolean }): ExitCode {
  const { runs, malformed } = open(dir).list(options.session)
  if (options.json === true) say(runs.map(summary))
  else for (const run of runs) say(summary(run))
  for (const { message } of malformed) complain(message)
  return malformed.length === 0 ? 0 : 1
}

function show(dir: string, ref: string): ExitCode {
  say(open(dir).load(ref).fields)
  return 0
}

function check(dir: string, ref: string, file: string): ExitCode {
  const { meta, fields } = open(dir).load(ref)
  const decision = admit(meta, readExpectation(file))
  if (E.isRight(decision)) {
    const { status } = decision.right
    const advice = `Run ${JSON.stringify(ref)} may be continued or copied.`
    say({ admitted: true, code: null, ref, found: status, wanted: ADMITTED_STATUSES, advice })
    return 0
  }
  const { code, wanted, advice } = decision.left
  // A status may be of any type: as it is written, and not as JavaScript would read 1e400 or a long number.
  const found = isStatusRefusal(decision.left) ? (fields['status'] ?? null) : decision.left.found
  say({ admitted: false, code, ref, found, wanted, advice })
  return 1
}

/** Read as strictly as a record: a key that stands twice, or a replaced byte, could ask for another identity than was meant. */
function readExpectation(file: string): Expectation {
  return decodeExpectation(readJsonObject(bytesOf(file), file).value)
}

function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new MergelawError('usage', `Cannot read the expectation ${quotedPath(file)}: ${messageOf(cause)}`, { cause })
  }
}
