import { OperationTypeNode, type ValidationRule } from 'graphql';
import { countRootFields } from './count-root-fields.ts';
import { LimitError } from './limits.ts';
import { isSensitive } from './sensitive.ts';

/**
 * Allows one login, registration or change of a password in an operation: one of all mutations that are marked as {@link Sensitive}. Honest
 * clients never need two. With aliases (`a: login(…) b: login(…)`) one HTTP request would be a thousand guesses, and a proxy
 * that limits requests would count one. The throttle of the service counts each of them in any case.
 * An export and a list of doctors are the queries that are marked: each reads and answers megabytes.
 * OWASP GraphQL Cheat Sheet, "Batching Attacks"; ASVS 5.0 item 6.3.1.
 */
export const oneSensitiveMutation: ValidationRule = (context) => {
  const schema = context.getSchema();
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const queries = schema.getQueryType()?.getFields() ?? {};
  return {
    OperationDefinition(operation) {
      const isMutation = operation.operation === OperationTypeNode.MUTATION;
      const fields = isMutation ? mutations : queries;
      const count = countRootFields(operation, context, (name) => isSensitive(fields[name]));
      if (count <= 1) {
        return;
      }
      // Without names: a caller who may not see the schema would learn the names of the others.
      const kind = isMutation ? 'login, registration or change of a password' : 'export or list';
      const message = `An operation must not have more than one ${kind}.`;
      context.reportError(new LimitError(message, { nodes: operation }));
    },
  };
};
