import { createReplay } from '../subagents/index.ts'
import { complainOfIgnored } from './complain.ts'
import { eachLine } from './frames.ts'
import { A_LINE, openInput } from './input.ts'
import { printRows, rowJson } from './output.ts'
import type { Register } from './verb.ts'

export const registerReplay: Register = (program, about) => {
  program
    .command('replay')
    .description(`${about}: what rows --all would print, less the id`)
    .argument('<file>', `frames, ${A_LINE}`)
    .option('--json', 'print one JSON array instead')
    .action(replay)
}

/** Exit code 1 when a line was rejected, as in `record`. */
const replay = async (file: string, { json }: { readonly json?: boolean }): Promise<void> => {
  const memory = createReplay()
  const unreadable = await eachLine(await openInput(file), (frame) => memory.record(frame))
  await printRows(
    memory.rows().map((row) => rowJson(row, ['id'])),
    json === true,
  )
  const counters = memory.counters()
  complainOfIgnored(counters)
  const { rejected, failed } = counters
  if (unreadable + rejected + failed > 0) process.exitCode = 1
}
