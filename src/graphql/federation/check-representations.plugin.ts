import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, valueFromASTUntyped } from 'graphql';
import { ValidationError } from '../../errors/errors.ts';
import type { GraphqlContext } from '../context.ts';
import { BAD_REQUEST, withDefaults } from '../plugins/check-variables.plugin.ts';
import { rootFieldsOf } from '../root-fields.ts';
import { LIMITS, LimitError } from '../rules/limits.ts';
import { idsOf } from './representations.ts';

/**
 * Checks the representations of all `_entities` of an operation before any of its fields runs. Their number is limited for the
 * operation, not for the field: with aliases, one request could otherwise ask for many times as many.
 */
export const checkRepresentations: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ document, operation, request }) => {
      if (operation?.operation !== 'query') {
        return;
      }
      const variables = withDefaults(operation, request.variables ?? {});
      const arguments_ = rootFieldsOf(document, operation)
        .filter(({ name }) => name.value === '_entities')
        .flatMap((field) => field.arguments ?? []);
      // GraphQL takes a single value for a list of one. A missing value is an error of graphql-js.
      const sent = arguments_.flatMap(({ value }) => valueFromASTUntyped(value, variables) ?? []);
      refuseUnfit(sent);
    },
  }),
};

/** @throws GraphQLError without any value */
function refuseUnfit(representations: readonly unknown[]): void {
  if (representations.length > LIMITS.representations) {
    const message = `An operation must not have more than ${LIMITS.representations} representations.`;
    throw new LimitError(message, { extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST } });
  }
  try {
    idsOf(representations);
  } catch (error) {
    if (error instanceof ValidationError) {
      throw new GraphQLError(error.message, { originalError: error, extensions: BAD_REQUEST });
    }
    throw error;
  }
}
