export type { AbsentRule, Int64Absent, TextAbsent } from './absence.ts'
export type { BoolColumn, Column, ColumnSpec, ColumnSpecs, InstantColumn, Int64Column, TextColumn } from './columns.ts'
export type { Contract, ForeignKey, Incoming, Index, Stored } from './contract.ts'
export { type ContractSpec, defineContract } from './define.ts'
export { compileLookup } from './field.ts'
export { type Grouping, keyTextOf } from './group.ts'
export * from './kinds/index.ts'
export { CLAIMS, type ContractLaws, LAWS, type Law, lawsOf } from './laws.ts'
export {
  columnOf,
  compileNormalise,
  compileNormaliser,
  type Normalise,
  type Normalised,
  type Normaliser,
  type Notes,
  type RowError,
} from './normalise.ts'
export { compileCandidate, compileProjection, type Project, type SourceRow } from './project.ts'
export { defineProjection, type Origin, type Projection, SKIP_REASONS, type SkipReason } from './projection.ts'
export { compileReducer, type Reducer, reducerOf, type TupleReducer, toRow, toTuple } from './reducer.ts'
export { type ColumnType, INT64_MAX, INT64_MIN, type Tuple, type Value, type ValueOf } from './values.ts'
