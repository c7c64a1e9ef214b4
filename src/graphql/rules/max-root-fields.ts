import type { ValidationRule } from 'graphql';
import { countRootFields } from './count-root-fields.ts';
import { LIMITS, LimitError } from './limits.ts';

/**
 * Every root field is a look at the access token and at the database, and those of a query run at the same time: one
 * request must not stand for a crowd. The limit on aliases does not cover it, because a field may be selected without.
 */
export const maxRootFields: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    if (countRootFields(operation, context, () => true) <= LIMITS.rootFields) return;
    const message = `An operation must not have more than ${LIMITS.rootFields} root fields.`;
    context.reportError(new LimitError(message, { nodes: operation }));
  },
});
