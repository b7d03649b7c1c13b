/**
 * A folder and a process that end with this process, however it ends: a small shell script waits at the other end of a pipe,
 * and when the pipe closes it stops the process and removes the folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Reads process ids, one a line, and keeps the last. A server that has only just started may miss a signal: it is repeated. */
const SCRIPT = `
pid= tries=0
while read -r line; do pid=$line; done
while [ -n "$pid" ] && kill -QUIT "$pid" && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
until rm -rf "$DIR" || [ $tries -ge 200 ]; do sleep 0.1; tries=$((tries + 1)); done
`

/** `watch` names the process to stop (the last one counts); `end` stops it, removes the folder and waits for both. */
export type Guard = { readonly watch: (child: ChildProcess) => void; readonly end: () => Promise<void> }

/** Starts the guard of a folder; rejects when there is no shell to run it. */
export const guardFolder = async (folder: string): Promise<Guard> => {
  const shell = spawn('sh', ['-c', SCRIPT], {
    env: { DIR: folder, PATH: process.env['PATH'] },
    detached: true, // Ctrl-C is for this process; the guard outlives it to clean up
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await once(shell, 'spawn')
  const ended = once(shell, 'exit')
  shell.stdin.on('error', () => undefined) // the guard is gone, which `ended` tells
  return {
    watch: (child) => void shell.stdin.write(`${child.pid}\n`),
    end: async () => {
      shell.stdin.end()
      await ended
    },
  }
}
