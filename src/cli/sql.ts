import { join } from 'node:path'
import { type Artifact, artifactsOf } from '../sql-render/index.ts'
import { publishedContracts } from '../subagents/index.ts'
import { print, printJson } from './output.ts'
import { compare } from './sql-check.ts'
import { readFolder, writeInFolder } from './sql-folder.ts'
import type { Register } from './verb.ts'

/** How every file says that it is made again. */
const COMMAND = 'run: mergelaw sql --out sql'

interface SqlOptions {
  readonly out: string
  readonly check?: boolean
  readonly json?: boolean
}

export const registerSql: Register = (program, about) => {
  program
    .command('sql')
    .description(`${about}: schema, upsert and select of every contract and database, and manifest.json`)
    .requiredOption('--out <dir>', 'the folder of the generated files')
    .option('--check', 'write nothing; exit 1 with a unified diff when a file is stale, edited by hand, missing or unexpected')
    .option('--json', 'print {"written":[…],"unchanged":[…]}, or with --check [{"path","kind","message","diff"}], on stdout')
    .action(({ out, check, json }: SqlOptions) => (check === true ? checkSql(out, json === true) : writeSql(out, json === true)))
}

const writeSql = async (out: string, json: boolean): Promise<void> => {
  const artifacts = artifactsOf(publishedContracts, COMMAND)
  const onDisk = await readFolder(out)
  const isCurrent = ({ path, text }: Artifact): boolean => onDisk.get(path)?.text === text
  const stale = artifacts.filter((artifact) => !isCurrent(artifact))
  for (const { path, text } of stale) await writeInFolder(join(out, path), text)
  const written = stale.map(({ path }) => path)
  if (json) await printJson({ written, unchanged: artifacts.filter(isCurrent).map(({ path }) => path) })
  else await print(`${written.length} files written to ${out}, ${artifacts.length - written.length} were up to date\n`)
}

const checkSql = async (out: string, json: boolean): Promise<void> => {
  const differences = compare(artifactsOf(publishedContracts, COMMAND), await readFolder(out))
  if (differences.length > 0) process.exitCode = 1
  if (json) return printJson(differences)
  for (const { path, message, diff } of differences) {
    await print(`${join(out, path)}: ${message}\n${diff}`)
  }
  if (differences.length === 0) await print(`${out} is up to date\n`)
}
