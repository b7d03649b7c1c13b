import { scratch } from '../support/cli.ts'
import { replayAgrees } from './replay-agrees.ts'

const { path } = scratch()
let databases = 0
replayAgrees('SQLite', async () => ({ url: `sqlite:${path(`${databases++}.db`)}`, close: async () => undefined }))
