import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'

const START_AND_DIE = `
  import { POSTGRES_SOURCES, startPostgres } from ${JSON.stringify(new URL('./postgres-server.ts', import.meta.url).href)}
  const { url } = await startPostgres(POSTGRES_SOURCES.find((source) => source.version === 18))
  process.stdout.write(url + '\\n', () => process.kill(process.pid, 'SIGKILL'))
`

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const untilSilent = async (port: number, attempts = 100): Promise<boolean> => {
  if (!(await isListening(port))) return true
  if (attempts === 0) return false
  await sleep(100)
  return untilSilent(port, attempts - 1)
}

test('tooling: a server ends with the process that started it, even when that one is killed', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', START_AND_DIE], {
    env: { ...process.env, MERGELAW_TEST_POSTGRES: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const signal = await new Promise((resolve) => child.once('close', (_code, name) => resolve(name)))
  const port = Number(new URL(printed.trim()).port)
  expect(signal).toBe('SIGKILL')
  expect(port).toBeGreaterThan(0)
  expect(await untilSilent(port)).toBe(true)
})
