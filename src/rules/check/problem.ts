import type { Column } from '../columns.ts'
import type { Contract } from '../contract.ts'

/** Why a contract cannot work. */
export interface Problem {
  readonly column?: string
  readonly reason: string
}

/** Looks for one kind of problem in a contract whose shape is right. */
export type Check = (contract: Contract) => readonly Problem[]

export const columnsOf = (contract: Contract): readonly (readonly [string, Column])[] => Object.entries(contract.columns)
