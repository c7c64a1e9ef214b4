import type { ApolloServerPlugin } from '@apollo/server';
import { valueFromASTUntyped } from 'graphql';
import type { GraphqlContext } from '../context.ts';
import { BAD_REQUEST, withDefaults } from '../plugins/check-variables.plugin.ts';
import { rootFieldsOf } from '../root-fields.ts';
import { LIMITS, LimitError } from '../rules/limits.ts';

/**
 * Limits the representations of all `_entities` of an operation, before any of its fields runs. The limit is for the operation,
 * not for the field: with aliases, one request could otherwise ask for many times as many.
 */
export const limitRepresentations: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ document, operation, request }) => {
      if (operation?.operation !== 'query') {
        return;
      }
      const variables = withDefaults(operation, request.variables ?? {});
      const lists = rootFieldsOf(document, operation)
        .filter(({ name }) => name.value === '_entities')
        .flatMap((field) => field.arguments ?? [])
        .map(({ value }) => valueFromASTUntyped(value, variables));
      const count = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 1), 0);
      if (count > LIMITS.representations) {
        const message = `An operation must not have more than ${LIMITS.representations} representations.`;
        throw new LimitError(message, { extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST } });
      }
    },
  }),
};
