import type { Published } from '../sql-render/index.ts'
import { activationArtifacts } from './activation-artifacts.ts'
import { backfillArtifacts } from './artifacts.ts'
import { subagentContexts } from './contract.ts'

/** The contracts whose SQL is committed, with what each ships beside its three statements. */
export const publishedContracts: readonly Published[] = [
  { contract: subagentContexts, extras: (dialect) => [...backfillArtifacts(dialect), ...activationArtifacts(dialect)] },
]
