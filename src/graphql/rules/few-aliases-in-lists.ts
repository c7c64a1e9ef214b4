import type { ValidationRule } from 'graphql';
import { LIMITS, LimitError } from './limits.ts';
import { isSensitive } from './sensitive.ts';

/**
 * Allows few aliases in a document with one of the large queries, an export or a list. Aliases at several levels multiply: five
 * each for the edges, their accounts and the profiles of these answer a page of megabytes 125 times.
 */
export const fewAliasesInLists: ValidationRule = (context) => {
  let aliases = 0;
  let isLarge = false;
  return {
    Field({ alias }) {
      aliases += alias ? 1 : 0;
      const isQuery = context.getParentType() === context.getSchema().getQueryType();
      isLarge ||= isQuery && isSensitive(context.getFieldDef() ?? undefined);
    },
    Document: {
      leave() {
        if (isLarge && aliases > LIMITS.aliasesInLists) {
          const limit = `more than ${LIMITS.aliasesInLists} alias`;
          context.reportError(
            new LimitError(`An operation with an export or a list must not have ${limit}.`),
          );
        }
      },
    },
  };
};
