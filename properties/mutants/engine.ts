/** Wrong lowerings of a rule for any contract, as text changes of the printed upsert; the name of a column is whatever it is. */
import type { Fault } from '../oracle/fault.ts'

export interface EngineMutant {
  readonly name: string
  readonly breaks: string
  readonly fault: Fault
}

const NAME = '("(?:[^"]|"")*")'

const BOOL_OR = String.raw`= CASE WHEN \(stored\.${NAME} <> 0 OR excluded\.\1 <> 0\) THEN 1 ELSE .*? END`

/** `$1` is the column's quoted name. */
const mutant = (name: string, breaks: string, pattern: string, to: string): EngineMutant => {
  const from = new RegExp(pattern, 'g')
  return { name, breaks, fault: (sql) => sql.replaceAll(from, to) }
}

export const ENGINE_MUTANTS: readonly EngineMutant[] = [
  mutant(
    'lastNonNull with stored first',
    'AC-5',
    String.raw`COALESCE\(excluded\.${NAME}, stored\.\1\)`,
    'COALESCE(stored.$1, excluded.$1)',
  ),
  mutant('lastNonNull without COALESCE', 'AC-4', String.raw`COALESCE\(excluded\.${NAME}, stored\.\1\)`, 'excluded.$1'),
  mutant(
    'firstNonNull with excluded first',
    'AC-2a',
    String.raw`= COALESCE\(stored\.${NAME}, excluded\.\1\)`,
    '= COALESCE(excluded.$1, stored.$1)',
  ),
  mutant('firstNonNull without COALESCE', 'AC-2a', String.raw`= COALESCE\(stored\.${NAME}, excluded\.\1\)`, '= stored.$1'),
  mutant(
    'lastValue that keeps the stored value over NULL',
    'hazard 1',
    String.raw`= excluded\.${NAME}`,
    '= COALESCE(excluded.$1, stored.$1)',
  ),
  mutant(
    'a freeze that reads the incoming guard',
    'AC-12',
    String.raw`WHEN stored\.${NAME} IS NOT NULL THEN`,
    'WHEN excluded.$1 IS NOT NULL THEN',
  ),
  mutant('a freeze upside down', 'AC-12', String.raw`WHEN stored\.${NAME} IS NOT NULL THEN`, 'WHEN stored.$1 IS NULL THEN'),
  mutant('touch that goes backwards', 'hazard 45', String.raw`>= excluded\.${NAME} THEN`, '<= excluded.$1 THEN'),
  mutant(
    'touch that NULL wins',
    'hazard 30',
    String.raw`WHEN excluded\.${NAME} IS NULL THEN stored\.\1`,
    'WHEN excluded.$1 IS NULL THEN NULL',
  ),
  mutant('boolOr as plain OR', 'hazard 31', BOOL_OR, '= (stored.$1 OR excluded.$1)'),
  mutant('boolOr that forgets', 'AC-14', BOOL_OR, '= COALESCE(excluded.$1, stored.$1)'),
  mutant('a conflict that does nothing', 'AC-3', String.raw`DO UPDATE SET[\s\S]*?(\nRETURNING|$)`, 'DO NOTHING$1'),
  mutant('reads in the order of insertion', 'AC-13', String.raw`\nORDER BY[\s\S]*$`, ''),
]
