import { freshDatabase, postgresUrls } from '../support/postgres.ts'
import { replayAgrees } from './replay-agrees.ts'

for (const { version } of postgresUrls()) {
  replayAgrees(`PostgreSQL ${version}`, async () => {
    const { url, drop } = await freshDatabase(version)
    return { url, close: drop }
  })
}
