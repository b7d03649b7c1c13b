/** Wrong stores for the crash model, one thing wrong in each. */

import { nodeFiles } from '../../../src/admission/file-store.ts'
import { openRunStore, type RunStore, type StoreFiles, type StoreOptions } from '../../../src/admission/index.ts'
import { REAL_STORE, type StoreSubject } from './crash-model.ts'

const isMeta = (path: string): boolean => path.endsWith('.meta.json')
const says = (bytes: Uint8Array, status: string): boolean => Buffer.from(bytes).includes(`"status": "${status}"`)

const opening = (open: (dir: string, options: StoreOptions, files: StoreFiles) => RunStore): StoreSubject => ({
  isAtomic: true,
  open: (dir, options) => open(dir, options ?? {}, options?.files ?? nodeFiles),
})

/** The metadata is written before the transcript that it speaks of. */
const metaFirst = opening((dir, options, files) => {
  let waiting: readonly [string, Uint8Array] | null = null
  const write: StoreFiles['write'] = (path, bytes) => {
    if (!isMeta(path)) {
      waiting = [path, bytes]
      return
    }
    files.write(path, bytes)
    if (waiting !== null) files.write(...waiting)
    waiting = null
  }
  return openRunStore(dir, { ...options, files: { ...files, write } })
})

/** A save replaces the transcript while the old record still says that it ended well. */
const notRunningFirst = opening((dir, options, files) => {
  let saving = false
  const write: StoreFiles['write'] = (path, bytes) => {
    if (!(saving && isMeta(path) && says(bytes, 'running'))) files.write(path, bytes)
  }
  const store = openRunStore(dir, { ...options, files: { ...files, write } })
  const during =
    <Args extends readonly unknown[]>(save: (...args: Args) => void) =>
    (...args: Args): void => {
      saving = true
      try {
        save(...args)
      } finally {
        saving = false
      }
    }
  const { saveCompleted, saveCancelled, saveFailed } = store
  return { ...store, saveCompleted: during(saveCompleted), saveCancelled: during(saveCancelled), saveFailed: during(saveFailed) }
})

/** A copy starts with the status of its source, so an abandoned one counts as complete. */
const copyIsComplete = opening((dir, options, files) => {
  const write: StoreFiles['write'] = (path, bytes) => {
    const text = Buffer.from(bytes).toString()
    const isCopy = isMeta(path) && /"forkedFrom": "/.test(text) && says(bytes, 'running') && !files.exists(path)
    files.write(path, isCopy ? Buffer.from(text.replace('"running"', '"completed"')) : bytes)
  }
  return openRunStore(dir, { ...options, files: { ...files, write } })
})

/** A cancelled run is acknowledged and never recorded. */
const forgetsCancelled = opening((dir, options, files) => {
  const write: StoreFiles['write'] = (path, bytes) => {
    if (!(isMeta(path) && says(bytes, 'cancelled'))) files.write(path, bytes)
  }
  return openRunStore(dir, { ...options, files: { ...files, write } })
})

/** What is wrong, and what the model must say of it: caught for another reason is not caught. */
export const STORE_MUTANTS: readonly Readonly<{ name: string; subject: StoreSubject; shows: RegExp }>[] = [
  { name: 'files are not replaced as a whole', subject: { ...REAL_STORE, isAtomic: false }, shows: /is malformed|allowed:/ },
  {
    name: 'the metadata is written before the transcript',
    subject: metaFirst,
    shows: /is \{"status":"(completed|cancelled|failed|running)"/,
  },
  {
    name: 'the transcript is replaced under a record that is still admitted',
    subject: notRunningFirst,
    shows: /is \{"status":"(completed|cancelled|failed)".*allowed:/,
  },
  {
    name: 'a copy counts as complete before it has run',
    subject: copyIsComplete,
    shows: /is \{"status":"completed".*allowed:.*"running"/,
  },
  { name: 'an acknowledged end is never written', subject: forgetsCancelled, shows: /allowed: \{"status":"cancelled"/ },
]
