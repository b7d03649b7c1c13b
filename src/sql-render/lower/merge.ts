import type { Plain, PlainKind, Rule } from '../../rules/index.ts'
import type { TypedColumn } from '../ast/index.ts'
import {
  caseWhen,
  coalesce,
  compare,
  type Expression,
  excluded,
  isNotNull,
  isNull,
  isTrue,
  literal,
  moment,
  or,
  stored,
} from '../ast/index.ts'

/**
 * How each rule becomes an assignment; undefined where the stored value stands and the column is not in SET.
 *
 * Written from the rules' definitions alone. It shares nothing with the reducer: the property suite compares the two.
 */
const MERGE: Record<PlainKind, (column: TypedColumn) => Expression | undefined> = {
  writeOnce: () => undefined,
  firstNonNull: ({ name }) => coalesce(stored(name), excluded(name)),
  lastNonNull: ({ name }) => coalesce(excluded(name), stored(name)),
  lastValue: ({ name }) => excluded(name),
  touch: ({ name, type }) =>
    caseWhen(
      [
        { when: isNull(excluded(name)), then: stored(name) },
        // The stored one may carry any spelling, the incoming one is canonical: the normaliser saw to it. A stored NULL, or a text
        // that is no instant, compares as NULL and so falls through to the incoming one.
        { when: compare(moment(stored(name), type), '>=', excluded(name)), then: stored(name) },
      ],
      excluded(name),
    ),
  boolOr: ({ name }) =>
    caseWhen(
      [{ when: or(isTrue(stored(name)), isTrue(excluded(name))), then: literal(true) }],
      coalesce(stored(name), excluded(name)),
    ),
}

const mergePlain = (rule: Plain, column: TypedColumn): Expression | undefined => MERGE[rule.kind](column)

/** The value a column is set to on conflict; undefined for a column that is never assigned. */
export const mergeExpression = (rule: Rule, column: TypedColumn): Expression | undefined => {
  switch (rule.kind) {
    case 'key':
      return undefined
    case 'frozenBy': {
      const inner = mergePlain(rule.rule, column)
      return inner && caseWhen([{ when: isNotNull(stored(rule.guard)), then: stored(column.name) }], inner)
    }
    default:
      return mergePlain(rule, column)
  }
}
