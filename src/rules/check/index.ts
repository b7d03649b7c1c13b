import type { Contract } from '../contract.ts'
import { checkIndexNames } from './indexes.ts'
import { checkKey } from './keys.ts'
import { checkColumnNames, checkTable } from './names.ts'
import type { Check, Problem } from './problem.ts'
import { checkColumnLists, checkForeignKeys } from './references.ts'
import { checkGuards, checkRules } from './rules.ts'
import { checkAbsence, checkDefaults, checkTexts } from './values.ts'

export type { Problem } from './problem.ts'

const CHECKS: readonly Check[] = [
  checkTable,
  checkColumnNames,
  checkKey,
  checkRules,
  checkGuards,
  checkTexts,
  checkAbsence,
  checkDefaults,
  checkColumnLists,
  checkForeignKeys,
  checkIndexNames,
]

/** Every reason why a contract of the right shape cannot work, most basic first. */
export const checkContract = (contract: Contract): readonly Problem[] => CHECKS.flatMap((check) => check(contract))
