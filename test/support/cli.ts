import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

const project = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/**
 * The command as `npm run build` emits it, built from the present sources: it starts in half the time of a loader, and it is what users
 * run. In a folder of this process's own, where packages and package.json are found as they are from `dist`.
 */
const buildMain = (): string => {
  mkdirSync(folder, { recursive: true })
  copyFileSync(project('package.json'), join(folder, 'package.json'))
  const tsx = project('node_modules/tsx/dist/cli.mjs')
  execFileSync(process.execPath, [tsx, project('scripts/bundle.ts'), join(folder, 'dist')])
  return join(folder, 'dist/cli/main.js')
}

const folder = project(`node_modules/.cache/mergelaw-test-${process.pid}`)
let built: string | undefined
afterAll(() => rmSync(folder, { recursive: true, force: true }))

export interface CliRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  readonly stdin?: string | Buffer | Iterable<string>
  /** Options of node itself. */
  readonly node?: readonly string[]
  /** Stop reading stdout after its first chunk, as `| head` does. */
  readonly stopReading?: boolean
}

/** Runs the command as a user does, in a process of its own. */
export const mergelaw = (args: readonly string[], options: CliOptions = {}): Promise<CliRun> =>
  new Promise((resolve, reject) => {
    built ??= buildMain()
    const child = spawn(process.execPath, [...(options.node ?? []), built, ...args])
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.stdout.push(chunk)
      if (options.stopReading === true) child.stdout.destroy()
    })
    child.stderr.on('data', (chunk: Buffer) => chunks.stderr.push(chunk))
    child.stdin.on('error', () => undefined) // a command that ends early does not read it all
    const { stdin = '' } = options
    const input = typeof stdin === 'string' || Buffer.isBuffer(stdin) ? [stdin] : stdin
    Readable.from(input, { objectMode: true }).pipe(child.stdin)
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({ code, stdout: Buffer.concat(chunks.stdout).toString(), stderr: Buffer.concat(chunks.stderr).toString() })
    })
  })

/** A folder that is removed after the file's tests, and files in it. */
export const scratch = () => {
  const temporary = mkdtempSync(join(tmpdir(), 'mergelaw-cli-'))
  afterAll(() => rmSync(temporary, { recursive: true }))
  const path = (name: string): string => join(temporary, name)
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(path(name), content)
    return path(name)
  }
  return { path, file }
}
