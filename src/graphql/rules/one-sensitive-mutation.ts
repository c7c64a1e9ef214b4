import type { ValidationRule } from 'graphql';
import { countRootFields } from './count-root-fields.ts';
import { LimitError } from './limits.ts';

/** What takes a password and gives a token. */
const SENSITIVE_MUTATIONS = ['login', 'registerDoctor', 'registerPatient'];

/**
 * One login or registration in an operation, of all three together: nobody honest needs two at once, whereas aliases
 * (`a: login(…) b: login(…)`) make one HTTP request a thousand guesses, which whatever counts requests in front of
 * this service counts as one. The throttle in the service counts each of them all the same.
 * OWASP GraphQL Cheat Sheet, "Batching Attacks"; ASVS 5.0 item 6.3.1.
 */
export const oneSensitiveMutation: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    const count = countRootFields(operation, context, (name) => SENSITIVE_MUTATIONS.includes(name));
    if (count <= 1) return;
    // Not by their names: whoever may not see the schema would learn of the others.
    const message = 'An operation must not have more than one login or registration.';
    context.reportError(new LimitError(message, { nodes: operation }));
  },
});
