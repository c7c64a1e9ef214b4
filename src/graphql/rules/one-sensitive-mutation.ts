import type { ValidationRule } from 'graphql';
import { countRootFields } from './count-root-fields.ts';
import { LimitError } from './limits.ts';

/** What takes a password and gives a token. */
const SENSITIVE_MUTATIONS = ['login', 'registerDoctor', 'registerPatient'];

/**
 * One login or registration in an operation, of all three together: nobody honest needs two at once, whereas aliases
 * (`a: login(…) b: login(…)`) make one HTTP request a thousand guesses, which whatever counts requests in front of
 * this service counts as one. The throttle in the service counts each of them all the same.
 * OWASP GraphQL Cheat Sheet, "Batching Attacks"; ASVS 5.0 items 6.3.1 and 6.3.3.
 */
export const oneSensitiveMutation: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    const count = countRootFields(operation, context, (name) => SENSITIVE_MUTATIONS.includes(name));
    if (count <= 1) return;
    const names = SENSITIVE_MUTATIONS.join(', ');
    context.reportError(
      new LimitError(`An operation must not have more than one of ${names}.`, { nodes: operation }),
    );
  },
});
