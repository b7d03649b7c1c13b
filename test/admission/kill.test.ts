import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import {
  identity,
  newFolder,
  readMeta,
  removeFolders,
  reopen,
  runsIn,
  savedRun,
  transcriptFile,
} from '../support/admission/stores.ts'

afterAll(removeFolders)

/** Big enough that writing it takes a while: a process that is killed is often killed in the middle of it. */
const SIZE = 2_000_000

/** Continues and saves one run for ever: transcript n is the digit n over and over; n is printed once it is acknowledged. */
const SAVE_FOR_EVER = `
  import { openRunStore } from ${JSON.stringify(new URL('../../src/admission/index.ts', import.meta.url).href)}
  import { identity } from ${JSON.stringify(new URL('../support/admission/stores.ts', import.meta.url).href)}
  import { writeSync } from 'node:fs'
  const [, dir, ref] = process.argv
  const store = openRunStore(dir)
  for (let n = 1; ; n++) {
    const run = store.prepareContinue(ref, identity('me')).right
    store.saveCompleted(run, String(n % 10).repeat(${SIZE}))
    run.release()
    writeSync(1, n + '\\n')
  }
`

async function killedWhileSaving(folder: string, ref: string, afterAcks: number): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', SAVE_FOR_EVER, '--', runsIn(folder), ref],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (printed.split('\n').length > afterAcks) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return Number(printed.trimEnd().split('\n').at(-1))
}

it.each([1, 2, 3, 5])(
  'admission: a process that is killed after %i acknowledged saves leaves a whole transcript, and no lie about it',
  async (afterAcks) => {
    const folder = newFolder()
    const ref = savedRun(reopen(folder), 'me')
    const acknowledged = await killedWhileSaving(folder, ref, afterAcks)
    expect(acknowledged).toBeGreaterThanOrEqual(afterAcks)
    const transcript = readFileSync(transcriptFile(folder, ref), 'utf8')
    const [digit = ''] = transcript
    expect(transcript).toBe(digit.repeat(SIZE))
    // The acknowledged save, or the one that was being made when the process ended.
    expect([acknowledged % 10, (acknowledged + 1) % 10]).toContain(Number(digit))
    const { status } = readMeta(folder, ref)
    expect(['completed', 'running']).toContain(status)
    const again = reopen(folder).prepareContinue(ref, identity('me'))
    expect(again._tag).toBe(status === 'completed' ? 'Right' : 'Left')
  },
  60_000,
)
