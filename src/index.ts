export type { Program, SqlRow, SqlValue, Step } from './adapters/program.ts'
export { type AsyncSession, type Dialect, type Ran, run, type Session, type SyncSession } from './adapters/session.ts'
export {
  type BatchOptions,
  type BatchOutcome,
  type ListOptions,
  type NotStored,
  type OpenTable,
  openTable,
  type Rows,
  type Table,
  tableOf,
  type UpsertAll,
} from './engine/index.ts'
export { ERROR_CODES, type ErrorCode, MergelawError } from './errors/index.ts'
export * from './rules/index.ts'
export {
  type Artifact,
  artifactsOf,
  type Codec,
  codecOf,
  contractHash,
  type ExtraArtifact,
  type Published,
  renderSchema,
  renderSelect,
  renderUpsert,
} from './sql-render/index.ts'
