import type { ValidationRule } from 'graphql';
import { countRootFields } from './count-root-fields.ts';
import { LIMITS, LimitError } from './limits.ts';

/**
 * Each root field reads the access token and the database, and those of a query run at the same time. One request must not do
 * the work of many. The limit on aliases does not cover this: different fields need no alias.
 */
export const maxRootFields: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    if (countRootFields(operation, context, () => true) <= LIMITS.rootFields) {
      return;
    }
    const message = `An operation must not have more than ${LIMITS.rootFields} root fields.`;
    context.reportError(new LimitError(message, { nodes: operation }));
  },
});
