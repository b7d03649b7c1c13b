import type { Contract } from '../rules/index.ts'
import { lowerPopulation, type Population } from './lower/population.ts'
import { DIALECTS, type DialectName, type Printed, printStatement } from './print/index.ts'

/** Counts a table's rows by source and identity, and by an instant where one is given. SQL: `SELECT …, COUNT(*) FROM … GROUP BY …`. */
export const renderPopulation = (contract: Contract, population: Population, dialect: DialectName): Printed =>
  printStatement(lowerPopulation(contract, population), DIALECTS[dialect])
