import type { ApolloServerPlugin } from '@apollo/server';
import {
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { misfit } from '../coercion-errors.ts';
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
    didResolveOperation: async ({ document, operation, request, schema }) => {
      if (operation?.operation !== 'query') {
        return;
      }
      refuseInputs(schema, operation);
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

/**
 * Refuses variables of input types. No field of a query takes one, but a representation in the document may contain a variable
 * of any type. graphql-js would print the whole value in each error about one of its keys: 0.15 s for 90 KB.
 * @throws GraphQLError
 */
function refuseInputs(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): void {
  const node = variableDefinitions.find(({ type }) => isInputObjectType(namedTypeOf(schema, type)));
  if (node) {
    const message = misfit(`Variable "$${node.variable.name.value}"`);
    throw new GraphQLError(message, { nodes: node, extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST } });
  }
}

/** The type inside lists and non-nulls. */
function namedTypeOf(
  schema: GraphQLSchema,
  node: VariableDefinitionNode['type'],
): GraphQLNamedType | undefined {
  return node.kind === Kind.NAMED_TYPE ? typeFromAST(schema, node) : namedTypeOf(schema, node.type);
}
