import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mergelaw, scratch } from '../support/cli.ts'
import { FRAMES, SESSIONS, sampleLines, shuffled, withoutId } from './samples.ts'

interface Opened {
  readonly url: string
  readonly close: () => Promise<void>
}

/** `replay` and `record` with `rows --all` agree, for the sample and for the sample in any order. */
export const replayAgrees = (name: string, open: () => Promise<Opened>): void => {
  describe(`replay and record on ${name}`, () => {
    const { file } = scratch()
    const opened: Opened[] = []
    const fresh = async (): Promise<string> => {
      const database = await open()
      opened.push(database)
      expect(await mergelaw(['init', '--db', database.url])).toMatchObject({ code: 0, stderr: '' })
      return database.url
    }
    let url = ''
    beforeAll(async () => {
      url = await fresh()
    }, 60_000) // the first run of a file builds the command
    afterAll(() => Promise.all(opened.map(({ close }) => close())))

    it('the sample in its own order leaves the same rows', async () => {
      const recorded = await mergelaw(['record', '--db', url, '--sessions', SESSIONS, FRAMES])
      expect(recorded).toEqual({
        code: 0,
        stderr: '',
        stdout:
          '{"attempted":854,"persisted":854,"skipped_no_identity":0,"anomalous_value":0,"failed":0,"unknown_execution":0,"ignored":1,"rejected":0}\n',
      })
      const [rows, replay] = [await mergelaw(['rows', '--db', url, '--all']), await mergelaw(['replay', FRAMES])]
      expect(rows.stdout.split('\n')).toHaveLength(254)
      expect(replay).toEqual({ code: 0, stderr: '', stdout: withoutId(rows.stdout) })
      expect((await mergelaw(['rows', '--db', url, '--all'])).stdout).toBe(rows.stdout)
    })

    it.each([1, 20_260_803])('the sample shuffled by seed %i leaves the same rows', async (seed) => {
      const db = await fresh()
      const path = file(`shuffled-${seed}.ndjson`, shuffled(sampleLines(), seed).join('\n'))
      expect(await mergelaw(['record', '--db', db, '--sessions', SESSIONS, path])).toMatchObject({ code: 0, stderr: '' })
      const [rows, replay] = [await mergelaw(['rows', '--db', db, '--all']), await mergelaw(['replay', path])]
      expect(replay.stdout).toBe(withoutId(rows.stdout))
      expect(replay.stdout.split('\n')).toHaveLength(254)
    })
  })
}
