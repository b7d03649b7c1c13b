import type { Expression, QueryExpression } from '../ast/index.ts'
import type { DialectHooks } from './dialect.ts'
import { quoteName } from './quote.ts'

/** Prints what only queries over whole tables hold; `print` prints what is inside of it. */
export const printQueryExpression = (
  node: QueryExpression,
  dialect: DialectHooks,
  print: (operand: Expression) => string,
): string => {
  switch (node.kind) {
    case 'exists':
      return `EXISTS (SELECT 1 FROM ${quoteName(node.table)} AS parent WHERE ${node.equal.map(({ name, value }) => `parent.${quoteName(name)} = ${print(value)}`).join(' AND ')})`
    case 'instant':
      return dialect.instant(print(node.operand), node.type)
    case 'atOrAfter':
      return dialect.atOrAfter(print(node.operand), () => print(node.since))
    case 'mentions':
      return dialect.mentions(print(node.operand), node.text)
    case 'plainText':
      return dialect.plainText(print(node.operand))
    case 'uuid':
      return dialect.uuid
    case 'max':
    case 'sum':
      return `${node.kind.toUpperCase()}(${print(node.operand)})`
    case 'count':
      return node.of === 'group' ? 'COUNT(*)' : 'COUNT(*) OVER ()'
    case 'rank':
      return `ROW_NUMBER() OVER (PARTITION BY ${node.partition.map(print).join(', ')} ORDER BY ${node.newestFirst.map((term) => `${print(term)} DESC`).join(', ')})`
  }
}
