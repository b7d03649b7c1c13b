export { type Artifact, artifactsOf, contractHash, type ExtraArtifact, type Published, sha256 } from './artifacts.ts'
export type { ForeignColumn } from './ast/migration.ts'
export { type Codec, codecOf } from './codec.ts'
export type { HealthOptions } from './lower/health.ts'
export { FOREIGN_KEYS, LIMIT_WAIT, READ_WRITE, TAKE_LOCK } from './print/activation.ts'
export { CATALOG } from './print/catalog.ts'
export { DIALECTS, type DialectName, type Printed } from './print/index.ts'
export { renderSchema, renderSelect, renderUpsert } from './render.ts'
export {
  renderAddColumn,
  renderDropIndex,
  renderDropUniques,
  renderDuplicates,
  renderIndexes,
  renderKeyChange,
  renderLockTable,
  renderRebuild,
  renderWiden,
} from './render-migration.ts'
export { renderPopulation } from './render-population.ts'
export { renderBackfill, renderHealth } from './render-projection.ts'
