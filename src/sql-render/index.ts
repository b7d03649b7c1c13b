export { type Artifact, artifactsOf, contractHash, type ExtraArtifact, type Published, sha256 } from './artifacts.ts'
export type { ForeignColumn } from './ast/migration.ts'
export { type Codec, codecOf } from './codec.ts'
export type { HealthOptions } from './lower/health.ts'
export type { KeyChange } from './lower/migration.ts'
export type { Population } from './lower/population.ts'
export type { SelectOptions } from './lower/select.ts'
export { FOREIGN_KEYS, LIMIT_WAIT, TAKE_LOCK } from './print/activation.ts'
export { CATALOG } from './print/catalog.ts'
export { DIALECTS, type DialectName, type Printed, printLiteral, quoteName } from './print/index.ts'
export { renderSchema, renderSelect, renderUpsert } from './render.ts'
export {
  type MigrationStep,
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
export { type RenderedBackfill, type RenderedHealth, renderBackfill, renderHealth } from './render-projection.ts'
